// ED fig. 5.6: what a case computes depends on the switch, although it is compiled to an indirect jump.
#include <stdio.h>
static int P(int c, int d) {
  int w = 0;
  switch (c) {
    case 'a':
      w = d + 2;
      break;
    case 'b':
      w = d - 2;
      break;
    case 'c':
      w = d * 3;
      break;
    case 'd':
      w = d / 2;
      break;
  }
  return w;
}
int main(int argc, char **argv) {
  int c = argc + 'a' - 1;
  int d = argc * 4;
  printf("%d\n", P(c, d));
  return 0;
}
// slice: --at 7 --var w => 3 5 7 21 22 23 24
