// ED fig. 5.7: Q saves and restores the register that holds e, which makes no dependence of w on what decided that Q is called.
#include <stdio.h>
static int kept[2];
static __attribute__((noinline)) void Q(void) {
  int a = kept[0] * 7, b = a ^ 3, c = b + kept[1], d = c * a;
  kept[0] = d - b;
}
static __attribute__((noinline)) int P(FILE *fin, int d) {
  int w, e;
  char c = fgetc(fin);
  e = d + d;
  if (c == 't')
    Q();
  w = e;
  return w;
}
int main(int argc, char **argv) {
  FILE *fin = fmemopen("t", 1, "r");
  int d = argc + 5;
  printf("%d\n", P(fin, d));
  return 0;
}
// slice: --at 14 --var w => 8 11 14 17 19 20
