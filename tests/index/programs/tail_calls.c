// Functions that end by tail calls, called directly and by pointers: contexts afterwards are what they were.
#include <stdio.h>
#include <stdlib.h>

static int total;

__attribute__((noinline)) static int act(int n) {
  total = total * 31 + n;  // POINT act
  return total & 7;
}

__attribute__((noinline)) static int last(int n) { return act(n) + 1; }
__attribute__((noinline)) static int middle(int n) { [[clang::musttail]] return last(n + act(n)); }
__attribute__((noinline)) static int other(int n) { return act(n) + act(n + 1); }

int main(int argc, char** argv) {
  int (*functions[])(int) = {middle, other, last};
  const int times = argc > 1 ? atoi(argv[1]) : 3;
  int sum = 0;
  for (int i = 0; i < times; ++i) {
    sum += middle(i);
    sum += functions[i % 3](i);
    sum += other(i);
  }
  printf("%d %d\n", sum, total);
  return 0;
}
