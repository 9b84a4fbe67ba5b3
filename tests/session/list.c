// A list is summed up; with an argument the program then writes to a null pointer.
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
  struct node* next;
};
static int depth;

static int sum(struct node* list) {
  int total = 0;
  for (struct node* each = list; each; each = each->next) {
    total += each->value;
    if (total > 100000) abort();
  }
  return total;
}

int main(int argc, char** argv) {
  struct node nodes[10];
  for (int i = 0; i < 10; i++) {
    nodes[i].value = i * i;
    nodes[i].next = i ? &nodes[i - 1] : NULL;
  }
  printf("sum %d\n", sum(&nodes[9]));
  if (argc > 1) {
    int* pointer = NULL;
    depth = 7;
    *pointer = argc;
  }
  puts("end");
  (void)argv;
  return 3;
}
