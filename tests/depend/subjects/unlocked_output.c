// Characters put out by what the C library's headers define inline are known like any others.
#include <stdio.h>
static void put(char c) {
  putchar_unlocked(c);
}
int main(int argc, char **argv) {
  char first = 'a' + argc;
  char second = 'c' + argc;
  printf("%d", argc);
  put(first);
  put(':');
  putc_unlocked(second, stdout);
  printf("%d\n", argc);
  return 0;
}
// slice: --at stdout:0 --no-control --no-address => 6 9
// slice: --at stdout:1 --no-control --no-address => 3 4 6 7 10
// slice: --at stdout:2 --no-control --no-address => 3 4
// slice: --at stdout:3 --no-control --no-address => 6 8 12
// slice: --at stdout:4 --no-control --no-address => 6 13
