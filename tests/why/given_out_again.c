// A list keeps a pointer to its last item, which is removed; the next item gets its memory and follows itself.
#include <stdio.h>
#include <stdlib.h>

struct item {
  int number;
  struct item* next;
};

struct list {
  struct item *first, *last;
};

static void append(struct list* list, int number) {
  struct item* item = malloc(sizeof *item);
  item->number = number;
  item->next = NULL;
  if (list->first) {
    list->last->next = item;  // uses
  } else {
    list->first = item;
  }
  list->last = item;
}

static void remove_last(struct list* list) {
  struct item** at = &list->first;
  while ((*at)->next) at = &(*at)->next;
  free(*at);
  *at = NULL;
}

int main(void) {
  struct list list = {NULL, NULL};
  for (int number = 1; number <= 3; ++number) append(&list, number);
  remove_last(&list);  // removes
  append(&list, 4);
  for (int left = 10; list.first && left > 0; --left) {
    printf("%d ", list.first->number);
    list.first = list.first->next;
  }
  puts("");
  return 0;
}
