// A price, a number with a point, is computed wrong where no branch decides anything.
#include <stdio.h>

struct item {
  double price;
  int count;
};

static void set_price(struct item *item, double base) {
  item->price = base + 1.5;  // wrong
}

int main(int argc, char **argv) {
  struct item item = {0, 2};
  (void)argv;
  set_price(&item, argc);
  double total = item.price * item.count;
  printf("%.1f\n", total);
  return 0;
}
