// Under -fwrapv a loop variable wraps, and so it does in every body.
// FLAGS: -fwrapv
#include <stdio.h>

#include "overflowing_loops.h"

int main(void) {
  int seen = 0;
  const unsigned steps = overflows(1 << 27, &seen);
  unsigned hash = 0;
  for (int i = 0; i < kLength; i++) hash = hash * 33 + (unsigned)numbers[i];
  printf("%u %u %d\n", steps, hash, seen);
  printf("%d\n", beyond_the_end(INT_MAX - 5));
  return 0;
}
