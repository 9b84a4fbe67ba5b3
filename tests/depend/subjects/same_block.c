// What a block's own stores tell of variables in registers: the latest store before a load counts, whole or in part.
#include <stdlib.h>
static int make(const char *text) { return atoi(text); }
int main(void) {
  int first = make("1"), second = make("2"), third = make("3");
  int value = first;
  int early = value;
  value = second;
  int late = value + value;
  value = third;
  int again = value;
  unsigned char low = (unsigned char)make("4");
  *(unsigned char *)&value = low;
  int mixed = value;
  volatile int sink = early + late + again + mixed;
  return sink == 0;
}
// slice: --at 15 --var early --no-control => 3 5 6 7 15
// slice: --at 15 --var late --no-control => 3 5 8 9 15
// slice: --at 15 --var again --no-control => 3 5 10 11 15
// slice: --at 15 --var mixed --no-control => 3 5 10 12 13 14 15
