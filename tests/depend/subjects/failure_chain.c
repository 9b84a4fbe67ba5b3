// FIC fig. 1: the failing run's dependences on the faulty statement.
#include <stdio.h>
int main(void) {
  int x, y, s, t;
  x = 1;
  y = x * 2;
  s = 0;
  t = 0;
  if (x > 0)
    s = y * 2;
  t = y + 2;
  if (s + t > 0)
    puts("True");
  return 0;
}
// slice: --at 12 => 5 6 9 10 11 12
