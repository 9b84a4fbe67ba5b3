// EPID fig. 11: one print that either flag can lead to (b, c). In both runs the flag that set `print` is in the slice and the
// other one is not.
#include <stdio.h>
int main(int argc, char **argv) {
  int a = argv[1][0] - '0';
  int b = argv[2][0] - '0';
  int x = argv[3][0] - '0';
  int print = 0;
  if (a)
    print = 1;
  if (b)
    print = 1;
  if (print)
    printf("%d\n", x);
  return 0;
}
// arguments: 1 0 5
// slice: --at 14 => 4 5 7 9 10 13 14
// arguments: 0 1 3
// slice: --at 14 => 4 6 7 11 12 13 14
