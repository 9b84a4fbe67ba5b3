// Fails in the iterations that its arguments name.
#include <stdio.h>
#include <stdlib.h>

static int cell(const int* table, int i, int j, int at_row, int at_column) {
  if (i == at_row && j == at_column) {
    volatile int* nowhere = 0;
    return *nowhere;  // POINT fault
  }
  return table[i * 8 + j];
}

__attribute__((noinline)) static int row(const int* table, int i, int at_row, int at_column) {
  int sum = 0;
  for (int j = 0; j < 8; ++j) {
    sum += cell(table, i, j, at_row, at_column);
    if (sum > 1000000) printf("large\n");
  }
  return sum;
}

int main(int argc, char** argv) {
  int* table = calloc(64, sizeof(int));
  long total = 0;
  for (int i = 0; i < 8; ++i) {
    total += row(table, i, atoi(argv[1]), atoi(argv[2]));
    printf("%d\n", i);
  }
  printf("%ld %d\n", total, argc);
  return 0;
}
