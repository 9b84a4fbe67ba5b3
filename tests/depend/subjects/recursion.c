// Every activation has its own variables and its own control dependences.
#include <stdio.h>
static int factorial(int n) {
  int rest = 0;
  if (n > 1) {
    rest = factorial(n - 1);
    return n * rest;
  }
  return 1;
}
int main(int argc, char **argv) {
  int unused = argc * 2;
  int n = argc + 3;
  int result = factorial(n);
  printf("%d %d\n", result, unused);
  return 0;
}
// slice: --at 15 --var result => 3 5 6 7 9 10 11 13 14 15
