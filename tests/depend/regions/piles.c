// Rounds that each make a node and now and then go over all of them: in the middle of the run much has begun.
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
  struct node* next;
};

static struct node* push(struct node* list, int value) {
  struct node* node = malloc(sizeof *node);
  node->value = value;
  node->next = list;
  return node;
}

static int mix(int value) {
  return value * 31 + 7;
}

static int sum(struct node* list) {
  int total = 0;
  for (; list; list = list->next) total += mix(list->value);
  return total;
}

int main(void) {
  struct node* list = NULL;
  int all = 0;
  for (int round = 0; round < 2000; ++round) {
    list = push(list, round % 17);  // round
    if (round % 10 == 0) all += sum(list);
  }
  printf("%d\n", all);
  return 0;
}
