// A calculation whose trace is long comes before the loop that is not left.
#include <stdio.h>

static unsigned collatz(unsigned n, unsigned steps) {
  if (n == 1) return steps;
  return n % 2 == 0 ? collatz(n / 2, steps + 1) : collatz(3 * n + 1, steps + 1);
}

int main(void) {
  unsigned longest = 0;
  for (unsigned n = 1; n < 40000; ++n) {
    const unsigned steps = collatz(n, 0);
    if (steps > longest) longest = steps;
  }
  unsigned left = longest;
  const unsigned step = longest - longest;  // wrong: nothing is taken away
  while (left != 0) left -= step;
  printf("%u\n", longest);
  return 0;
}
