// Counts the numbers above a limit that is too high: of four each is above it, and one is found. No single switch of
// the branch makes the count right, no two do, and inverting all of its executions makes it wrong in another way.
// Nothing is printed until the end.
#include <stdio.h>

int main(void) {
  const int numbers[] = {3, 12, 9, 4};
  int limit = 10, above = 0;
  for (int i = 0; i < 4; ++i) {
    if (numbers[i] > limit) above += 1;
  }
  printf("%d\n", above);
  return 0;
}
