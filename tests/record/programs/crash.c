// Writes through a null pointer in a called function.
#include <stdio.h>

static void __attribute__((noinline)) set(volatile int* place) {
  *place = 1;
}

int main(int argc, char** argv) {
  (void)argv;
  printf("before\n");
  fflush(stdout);
  set(argc > 1 ? &argc : 0);
  return 0;
}
