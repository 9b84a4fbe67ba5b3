// A loop that waits for a variable of the file which nothing writes any more; what is written to another one, which may lie
// beside it, is not that.
#include <stdio.h>

static long margin;
static long left, passed;

__attribute__((noinline)) static void pass(int byte) {
  if (byte < 0) passed = byte;  // another
}

static void set(int arguments) { margin = left = arguments; }

int main(int argc, char** argv) {
  set(argc);
  while (left + margin > 0) pass(argv[0][0] & 0x7f);
  printf("%ld\n", passed);
  return 0;
}
