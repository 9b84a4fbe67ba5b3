// EPID figure 1: prints the odd ones of three numbers. The same call is reached in different iterations.
#include <stdio.h>
#include <stdlib.h>

static void action(int x) {
  printf("%d\n", x);  // POINT action
}

int main(int argc, char** argv) {
  (void)argc;
  for (int i = 0; i < 3; ++i) {
    int x = atoi(argv[1 + i]);
    if (x % 2)  // POINT test
      action(x);
  }
  return 0;
}
