// The upper half of a number that was made wider by its sign depends on the number; that of an unsigned one does not.
#include <stdlib.h>
#include <string.h>
static int make(const char *text) { return atoi(text); }
int main(void) {
  volatile int small = make("-7");
  volatile unsigned plain = (unsigned)make("9");
  long wide = small;
  unsigned long large = plain;
  int halves[2];
  memcpy(halves, &wide, sizeof halves);
  int upper = halves[1];
  memcpy(halves, &large, sizeof halves);
  int zero = halves[1];
  volatile int sink = upper + zero;
  return sink == 0;
}
// slice: --at 15 --var upper --no-control --no-address => 4 6 8 11 12 15
