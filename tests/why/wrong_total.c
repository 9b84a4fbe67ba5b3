/* Prints a wrong total: the limit is inclusive by mistake. */
#include <stdio.h>

static int counts(int value, int limit) { return value <= limit; }

int main(void) {
  int total = 0;
  for (int value = 1; value < 10; value++)
    if (counts(value, 5)) total += value;
  printf("total %d\n", total);
  return 0;
}
