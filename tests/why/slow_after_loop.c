// The loop has no end, for `last` is wrong. Printing earlier makes the output right for longer, and the loop goes on;
// the run that is repaired works for long after the loop.
#include <stdio.h>

int main(int argc, char** argv) {
  (void)argv;
  int last = argc > 5 ? 3 : -1;
  const int early = argc > 7;
  if (early) {
    puts("begins");
    fflush(stdout);
  }
  for (volatile int i = 0; last < 0 || i < last; ++i) {
  }
  if (!early) puts("begins");
  for (volatile int left = 3000000; left > 0; --left) {
  }
  puts("ends");
  return 0;
}
