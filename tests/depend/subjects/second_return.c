// What a variable holds behind a setjmp that returned twice was written after the first return, and not by the block.
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf place;
static int make(const char *text) { return atoi(text); }
int main(void) {
  volatile int value = make("1");
  int jumped = setjmp(place);
  int seen = value;
  if (jumped == 0) {
    value = make("2");
    longjmp(place, 1);
  }
  volatile int sink = seen;
  return sink == 0;
}
// slice: --at 14 --var seen --no-control => 5 9 11 14
