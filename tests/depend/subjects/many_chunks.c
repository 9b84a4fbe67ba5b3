// Calls that wait while many blocks are executed: what they give back, and what follows them in their block, comes
// after the graph's chunk with the call was written.
#include <stdio.h>

static int noise;

static int work(int depth) {
  int kept = depth * 3;
  int unused = depth * 5;
  for (int i = 0; i < 40000; ++i) noise += i ^ depth;
  int below = 1;
  if (depth > 0) below = work(depth - 1) + kept;
  noise += unused;
  return below;
}

int main(void) {
  int first = 4;
  int result = work(first) + first;
  printf("%d\n", result);
  printf("%d\n", noise);
  return 0;
}
// slice: --at 20 --var result => 7 8 11 12 14 18 19 20
// slice: --at 20 --var result --no-control => 7 8 11 12 14 18 19 20
