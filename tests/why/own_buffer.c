// Gives standard output a buffer of its own, which is emptied when the program ends. "total 10\n" and two dots are
// expected.
#include <stdio.h>

static char buffer[4096];

static void show(int total) {
  printf("total %d\n", total);
}

static void finish(void) {
  for (int dots = 0; dots < 2; ++dots) puts(".");
}

int main(int argc, char** argv) {
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  show(argc + 10);
  finish();
  return 0;
}
