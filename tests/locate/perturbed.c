/* For perturbations_test.py: of what is put out first much matters, of the rest less, and what is read an address decides. */
#include <stdio.h>
#include <stdlib.h>

static int weigh(int value) {
  int sum = 0;
  for (int i = 0; i < value; ++i) sum += i & 3;
  return sum;
}

int main(int argc, char **argv) {
  int table[8], other = 0;
  for (int i = 0; i < 8; ++i) {
    table[i] = weigh(i * 3);
    other += i * table[i];
  }
  int place = 2 * argc;
  int *copy = malloc(sizeof *copy);
  *copy = table[place + 1] + argc;
  printf("%d\n", *copy);
  printf("%d\n", other);
  if (other > 300) puts("large");
  free(copy);
  return 0;
}
