// Walks a list that is a ring by calling itself. None of its variables has an address, so it is the machine's own stack
// that is used up.
#include <stdio.h>
#include <stdlib.h>

struct Node {
  struct Node* next;
  int value;
};

static int weighed(const struct Node* node, int depth) {
  if (node == NULL) return depth;
  int rest = weighed(node->next, depth + 1);  // again
  return rest % 1000003 * 3 + node->value;
}

int main(void) {
  struct Node *first = NULL, *last = NULL;
  for (int i = 0; i < 1000; ++i) {
    struct Node* node = malloc(sizeof *node);
    node->next = first;
    node->value = i;
    first = node;
    if (last == NULL) last = node;
  }
  last->next = first;  // a ring
  printf("%d\n", weighed(first, 0));
  return 0;
}
