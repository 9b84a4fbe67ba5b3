// A loop that never ends, because its step is 0.
#include <stdio.h>

int main(int argc, char** argv) {
  (void)argv;
  volatile int at = 0;
  int step = argc > 3;
  puts("start");
  fflush(stdout);
  while (at < 10) {
    at = at + step;
  }
  puts("end");
  return 0;
}
