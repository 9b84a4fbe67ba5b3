// Of a pair of names that are struck out together only one is counted.
#include <stdio.h>

struct list {
  const char *names[8];
  int struck;
};

static void note(struct list *list, int at) {
  if (!list->names[at]) return;
  list->names[at] = NULL;
  ++list->struck;
}

static void strike_pair(struct list *list, int first) {
  note(list, first);  // and not the second
}

static void strike_all(struct list *list) {
  for (int at = 0; at < 6; at += 2) strike_pair(list, at);
}

int main(void) {
  struct list list = {{"a", "b", "c", "d", "e", "f"}, 0};
  strike_all(&list);
  printf("%d struck out\n", list.struck);
  return 0;
}
