// Loop variables that leave the range of int.
#pragma once
#include <limits.h>

enum { kLength = 64 };
static int numbers[kLength];

static unsigned overflows(int start, int* seen) {
  unsigned steps = 0;
  for (int i = start; i > 0 && steps < 20; i += 1 << 28) {
    numbers[(i & 63)] += i;
    *seen = i;
    ++steps;
  }
  return steps;
}

// Counts from one end of the numbers to the other.
static int beyond_the_end(int start) {
  int turns = 0;
  for (int i = start; i <= INT_MAX; i++) {
    if (++turns == 50) break;
    numbers[turns] += i / 3;
  }
  return turns;
}
