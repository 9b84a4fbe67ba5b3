// EPID figure 7: a call in a loop and the same one behind it. Inlined and unrolled they are different points.
#include <stdio.h>
#include <stdlib.h>

static void action(int x) {
  printf("%d\n", x);  // POINT action
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 2;
  for (int i = 0; i < n; ++i) action(i);
  action(-1);
  return 0;
}
