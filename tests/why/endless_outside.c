// The outer loop never ends; the inner one does each time.
#include <stdio.h>

static volatile int work;

static void turn(int times) {
  for (int i = 0; i < times; ++i) work += i;
}

int main(int argc, char** argv) {
  (void)argv;
  int left = 3;
  while (left != 0) {
    turn(1000);
    if (argc > 1) --left;
  }
  puts("end");
  return 0;
}
