// Control dependence: only the branches that were taken, and the loop's own test.
#include <stdlib.h>
int sink;
int main(int argc, char **argv) {
  int limit = argc + 2;
  int noise = argc * 5;
  int sum = 0;
  for (int i = 0; i < limit; i++) {
    if (i == 1) {
      sum += 10;
    } else {
      noise += 3;
    }
  }
  if (noise > 100) {
    sum = -1;
  }
  sink = sum;
  return 0;
}
// slice: --at 18 --var sum => 4 5 7 8 9 10 18
// slice: --at 18 --var sum --no-control => 7 10 18
