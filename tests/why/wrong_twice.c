// Negates both numbers; 1 and 2 are expected. One switched branch repairs one of them only.
#include <stdio.h>

static int show(int number, int negative) {
  if (negative) number = -number;
  return number;
}

int main(int argc, char** argv) {
  (void)argv;
  int first = show(1, argc > 0);
  int second = show(2, argc > 0);
  printf("%d\n%d\n", first, second);
  return 0;
}
