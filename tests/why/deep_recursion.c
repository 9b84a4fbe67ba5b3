// Calls itself without end.
#include <stdio.h>

static int depth(int n, char* above) {
  char here[256];
  here[n & 255] = *above;
  return depth(n + 1, here) + here[(n + 1) & 255];
}

int main(void) {
  char first = 1;
  printf("%d\n", depth(0, &first));
  return 0;
}
