// EPID fig. 1: prints the odd ones of three numbers. What a printed number depends on is its own iteration's.
#include <stdio.h>
#include <stdlib.h>
static void action(int x) {
  printf("%d\n", x);
}
int main(int argc, char **argv) {
  int i;
  for (i = 0; i < 3; ++i) {
    int x = argv[1 + i][0] - '0';
    if (x % 2)
      action(x);
  }
  return 0;
}
// arguments: 2 4 5
// slice: --at 5 --no-control => 4 5 7 9 10 12
// slice: --at 5#1 => 4 5 7 9 10 11 12
// instances: --at 5#1 => 9:3 10:1 11:1 12:1
// arguments: 1 2 3
// slice: --at 5#2 => 4 5 7 9 10 11 12
// instances: --at 5#1 => 9:1 10:1 11:1 12:1
// instances: --at 5#2 => 9:3 10:1 11:1 12:1
