// A comparison function called back by native code, and bsearch with the same pointer.
// ARGS: 5 3 9 1
// EXPECT: 1 3 5 9
// EXPECT: found 9
// TICKS: per-level
#include <stdio.h>
#include <stdlib.h>

static int comparisons;

static int compare(const void* left, const void* right) {
  comparisons++;
  int a = *(const int*)left, b = *(const int*)right;
  return a < b ? -1 : a > b;
}

int main(int argc, char** argv) {
  int numbers[8], count = argc - 1;
  for (int i = 0; i < count; i++) numbers[i] = argv[i + 1][0] - '0';
  qsort(numbers, count, sizeof numbers[0], compare);
  for (int i = 0; i < count; i++) printf("%d%c", numbers[i], i + 1 < count ? ' ' : '\n');
  int wanted = 9;
  int* found = bsearch(&wanted, numbers, count, sizeof numbers[0], compare);
  printf("found %d\n", found ? *found : -1);
  return comparisons > 0 ? 0 : 1;
}
