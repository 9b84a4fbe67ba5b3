// Under -fwrapv a loop variable wraps, and so it does in every body.
// FLAGS: -fwrapv
#include <limits.h>
#include <stdio.h>

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

int main(void) {
  int seen = 0;
  const unsigned steps = overflows(1 << 27, &seen);
  unsigned hash = 0;
  for (int i = 0; i < kLength; i++) hash = hash * 33 + (unsigned)numbers[i];
  printf("%u %u %d\n", steps, hash, seen);
  printf("%d\n", beyond_the_end(INT_MAX - 5));
  return 0;
}
