// ED fig. 5.7: Q needs registers of its own, which makes no dependence of w on what decided that Q is called.
#include <stdio.h>
static __attribute__((noinline)) void Q(int *p) {
  int a = p[0] * 7, b = a ^ 3, c = b + p[1], d = c * a;
  p[0] = d - b;
}
static __attribute__((noinline)) int P(int c, int e, int *p) {
  int w = 0;
  if (c == 't') {
    Q(p);
  }
  w = w + e;
  return w;
}
int main(int argc, char **argv) {
  int pair[2] = {argc, argc + 1};
  int c = argc > 0 ? 't' : 'f';
  int e = argc + 5;
  printf("%d\n", P(c, e, pair));
  return 0;
}
// slice: --at 12 --var w => 7 8 12 15 18 19
