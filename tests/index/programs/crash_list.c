// Fails at a node of a list: no variable tells the iterations of the loop around.
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
  struct node* next;
};

__attribute__((noinline)) static int digit(const struct node* node, int wanted) {
  int sum = 0;
  for (int j = 0; j < 4; ++j) {
    if (node->value == wanted && j == 2) abort();
    sum += node->value + j;
    if (sum > 1000000) printf("large\n");
  }
  return sum;
}

int main(int argc, char** argv) {
  struct node* first = NULL;
  for (int i = 0; i < 5; ++i) {
    struct node* node = malloc(sizeof *node);
    node->value = i;
    node->next = first;
    first = node;
  }
  int sum = 0;
  for (const struct node* each = first; each; each = each->next) sum += digit(each, argc > 1 ? atoi(argv[1]) : 3);
  printf("%d\n", sum);
  return 0;
}
