// FIC fig. 1: x should be 0. What is put out depends on all that was executed, on two ways: by t and its branch, and by y and s.
#include <stdio.h>
int main(void) {
  int x, y, s, t;
  x = 1;
  y = x << 1;
  if (x > 0)
    t = x << 2;
  else
    t = 0;
  s = y << 1;
  puts(s + t > 0 ? "True" : "False");
  return 0;
}
// slice: --at 12 => 5 6 7 8 11 12
// slice: --at 12 --var t => 5 7 8 12
// slice: --at 12 --var s => 5 6 11 12
// slice: --at 12 --no-control --var t => 5 8 12
