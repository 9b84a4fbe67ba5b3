// Writes one element more than the block has room for, into the next block: 1 is expected.
#include <stdio.h>
#include <stdlib.h>

static void fill(long* numbers, int count) {
  for (int i = 0; i < count; ++i) {
    numbers[i] = 7;
  }
}

int main(void) {
  long* numbers = malloc(3 * sizeof *numbers);
  long* next = malloc(sizeof *next);
  *next = 1;
  fill(numbers, 5);
  printf("%ld\n", *next);
  return 0;
}
