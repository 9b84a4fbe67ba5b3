// A statement follows two pointers; the second is null.
#include <stdio.h>
#include <stdlib.h>

struct item {
  int value;
  struct item* next;
};

struct list {
  struct item* first;
  int length;
};

static struct item* item_of(int value) {
  if (value < 0) return NULL;
  struct item* item = malloc(sizeof *item);
  item->value = value;
  item->next = NULL;
  return item;
}

static int sum(struct list* list) {
  int total = 0;
  if (list->length > 0) total = list->first->value + list->length;
  return total;
}

int main(int argc, char** argv) {
  struct list list = {item_of(argc > 5 ? 7 : -7), 1};
  printf("%d\n", sum(&list));
  return argv == NULL;
}
