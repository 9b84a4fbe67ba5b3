// EPID figures 4 and 11: two ways to one call that come together before it.
#include <stdio.h>
#include <stdlib.h>

static void action(int x) {
  printf("%d\n", x);  // POINT action
}

int main(int argc, char** argv) {
  (void)argc;
  int a = atoi(argv[1]), b = atoi(argv[2]);
  if (a || b)
    action(atoi(argv[3]));
  return 0;
}
