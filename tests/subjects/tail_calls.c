// Guaranteed tail calls: mutual recursion far deeper than any stack, direct and through a table.
// EXPECT: even 1
// EXPECT: counted 20000000
#include <stdio.h>

#define TAIL __attribute__((musttail)) return

static int is_odd(unsigned long n);
static int is_even(unsigned long n) {
  if (n == 0) return 1;
  TAIL is_odd(n - 1);
}
static int is_odd(unsigned long n) {
  if (n == 0) return 0;
  TAIL is_even(n - 1);
}

typedef long state(long count, long left);
static state tick, tock;
static state* const table[] = {tick, tock};

static long tick(long count, long left) {
  if (left == 0) return count;
  TAIL table[1](count + 1, left - 1);
}
static long tock(long count, long left) {
  if (left == 0) return count;
  TAIL table[0](count + 1, left - 1);
}

int main(void) {
  printf("even %d\n", is_even(20000000));
  printf("counted %ld\n", tick(0, 20000000));
  return 0;
}
