// EPID figure 6: a loop with two guards.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argc;
  int a = atoi(argv[1]), b = atoi(argv[2]);
  while (a--) {
    putchar('.');  // POINT first
    if (a == b) break;
    putchar(',');  // POINT second
  }
  puts("");
  return 0;
}
