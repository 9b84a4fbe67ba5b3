// Functions that native code calls, and functions called by pointer.
#include <stdlib.h>
static int compare(const void *left, const void *right) {
  int one = *(const int *)left, other = *(const int *)right;
  return one - other;
}
static int twice(int value) { return value * 2; }
static int (*chosen)(int) = twice;
int sink;
int main(int argc, char **argv) {
  int numbers[3];
  numbers[0] = argc + 5;
  numbers[1] = argc + 1;
  numbers[2] = argc + 3;
  qsort(numbers, 3, sizeof numbers[0], compare);
  int other = argc + 100;
  sink = chosen(other);
  return 0;
}
// slice: --at 17 --var sink --no-control => 7 10 16 17
// Which elements are compared last depends on what all of them are.
// slice: --at 5 --no-control => 3 4 5 10 12 13 14 15
