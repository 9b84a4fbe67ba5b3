// Direct, mutual and indirect recursion, and a loop that calls nothing but quiet functions.
// EXPECT: fibonacci 6765
// EXPECT: mutual 1
// EXPECT: indirect 120
// EXPECT: ackermann 125
// EXPECT: collatz 111
#include <stdio.h>

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

static int (*volatile self)(int);
static int factorial(int n) { return n <= 1 ? 1 : n * self(n - 1); }

static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static int half(int n) { return n / 2; }
static int step(int n) { return n % 2 == 0 ? half(n) : 3 * n + 1; }

int main(void) {
  self = factorial;
  printf("fibonacci %d\nmutual %d\nindirect %d\nackermann %d\n", fibonacci(20), even(1000), factorial(5), ackermann(3, 4));
  int steps = 0;
  for (int n = 27; n != 1; n = step(n)) steps++;
  printf("collatz %d\n", steps);
  return 0;
}
