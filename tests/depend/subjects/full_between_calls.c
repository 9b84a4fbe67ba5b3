// Most of what a trace has of this program is written by straight code of one function, whose result goes right into the
// next call. So a part of the trace that is full is nearly always put away between the two calls.
#include <stdio.h>
static unsigned words[16], *at[16];
static unsigned step(unsigned **to, unsigned seed) {
  *to[0] = seed; *to[1] = 1; *to[2] = 2; *to[3] = 3; *to[4] = 4; *to[5] = 5; *to[6] = 6; *to[7] = 7;
  *to[8] = 8; *to[9] = 9; *to[10] = 10; *to[11] = 11; *to[12] = 12; *to[13] = 13; *to[14] = 14;
  *to[15] = *to[0] + 15;
  return *to[15];
}
static unsigned last;
static void keep(unsigned value) {
  last = value;
}
int main(void) {
  for (unsigned each = 0; each < 16; ++each)
    at[each] = &words[each];
  for (unsigned turn = 0; turn < 40000; ++turn)
    keep(step(at, turn * 2654435761u));
  unsigned end = last;
  printf("%u\n", end);
  return 0;
}
// slice: --at 21 --var end --no-control --no-address => 5 6 8 9 12 13 18 19 20 21
