/* For slice_forms.py: memory that an expression means, a slice in all its forms, and a call of which nothing is known. */
#include <stdio.h>

struct item {
  struct item *next;
  int key, weight;
};

int of_a_library(char *text);  // compiled apart, without bitcode

static struct item second = {0, 7, 1}, first = {&second, 3, 2};

static int weigh(struct item *item) {
  int sum = 0;
  for (struct item *at = item; at; at = at->next) sum += at->weight;  // SUM
  return sum;
}

int main(int argc, char **argv) {
  struct item *list = &first;
  list->next->weight = argc + 40;  // WEIGHT
  list->key = 9;                   // KEY
  int total = weigh(list);
  printf("%d\n", total);  // PRINT
  return of_a_library(argv[0]);
}
