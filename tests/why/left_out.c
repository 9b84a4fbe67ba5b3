// A branch that matters by what it keeps from being executed. "pay 95\n" is expected; the argument says in what kind of
// memory the write is missing.
#include <stdio.h>
#include <stdlib.h>

struct item {
  int price;
  int discount;
};

static int discount = 0;
static void (*notify)(struct item*) = NULL;

static void put(struct item* item, int percent) {
  item->discount = percent;
}

static void set_up(struct item* item, int amount) {
  if (amount > 10)
    put(item, 5);
}

static int is_large(int amount) {
  if (amount > 11)
    return 1;
  return 0;
}

static void set_up_global(int amount) {
  if (is_large(amount))
    discount = 5;
}

static void set_later(struct item* item) {
  item->discount = 5;
}

static void set_up_elsewhere(struct item* item, int amount) {
  if (amount > 20)
    notify(item);
}

int main(int argc, char** argv) {
  const char kind = argv[argc - 1][0];
  struct item* item = malloc(sizeof *item);
  item->price = 100;
  item->discount = 0;
  notify = set_later;
  int local = 0;
  if (kind == 'h') set_up(item, 10);
  if (kind == 'g') set_up_global(10);
  if (kind == 'p') set_up_elsewhere(item, 10);
  if (kind == 'l' && argc > 9)
    local = 5;
  printf("pay %d\n", item->price - item->discount - discount - local);
  free(item);
  return 0;
}
