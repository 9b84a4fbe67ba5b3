// A decision far from the failure: the rate is chosen in one function, kept in an order, and used in another.
// "total 238\n" is expected.
#include <stdio.h>
#include <string.h>

struct order {
  int amount;
  int rate;
};

static int rate_of(const char* country) {
  int rate = 19;
  if (strcmp(country, "at") != 0)
    rate = 7;
  return rate;
}

static void set_rate(struct order* order, int rate) {
  order->rate = rate;
}

static int tax(const struct order* order) {
  int tax = order->amount * order->rate;
  return tax / 100;
}

int main(int argc, char** argv) {
  struct order order = {200, 0};
  set_rate(&order, rate_of(argv[argc - 1]));
  int total = order.amount + tax(&order);
  for (int line = 0; line < 20; ++line) putchar('.');
  printf("total %d\n", total);
  return 0;
}
