// The program dies by a signal as it would natively.
// EXPECT: before
// EXPECT-EXIT: signal SIGSEGV
#include <stdio.h>

static int* volatile nowhere;

int main(void) {
  puts("before");
  fflush(stdout);
  return *nowhere;
}
