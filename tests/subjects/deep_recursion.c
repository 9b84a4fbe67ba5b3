// Runaway recursion: the overflow is told from other faults, reported with the function, and kills by SIGSEGV as it does natively.
// COMPARE: bodies
// EXPECT-ERROR: culprit: stack overflow in dig:
// EXPECT-EXIT: signal SIGSEGV
#include <stdio.h>
#include <string.h>

static int dig(int depth, const char* above) {
  char block[16384];
  memset(block, above[0] + 1, sizeof block);
  return depth == -1 ? 0 : dig(depth + 1, block) + block[depth & 63];
}

int main(void) {
  char seed[1] = {0};
  printf("%d\n", dig(0, seed));
  return 0;
}
