// A loop variable overflows, or is changed between setjmp and its second return, after which C says nothing of it: all
// bodies do the same.
// COMPARE: bodies
#include <setjmp.h>
#include <stdio.h>

#include "overflowing_loops.h"

static jmp_buf back;

static int across_setjmp(int limit) {
  volatile int turns = 0;
  int i = 0;
  int sum = 0;
  setjmp(back);
  for (; i < limit; i++) {
    sum += numbers[i + 1];
    if (i == turns * 4 && turns < 5) {
      turns++;
      longjmp(back, 1);
    }
  }
  return sum + i;
}

int main(void) {
  int seen = 0;
  const unsigned steps = overflows(1 << 27, &seen);
  unsigned hash = 0;
  for (int i = 0; i < kLength; i++) hash = hash * 33 + (unsigned)numbers[i];
  printf("%u %u %d\n", steps, hash, seen);
  printf("%d\n", beyond_the_end(INT_MAX - 5));
  printf("%d\n", across_setjmp(30));
  return 0;
}
