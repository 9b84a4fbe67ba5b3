// Loops that global variables count: a pass and a line; and loops that they do not count, though they are changed once an
// iteration: `elsewhere` is also changed by what the loop calls, `twice` counts a loop of a function that runs twice.
#include <stdio.h>
#include <stdlib.h>

int pass;
static int line;
static int elsewhere, twice;

__attribute__((noinline)) static void change(int at) {
  if (at == 3) elsewhere = 0;
  printf("%d\n", at);
}

__attribute__((noinline)) static void lines(int at_pass, int at_line) {
  for (line = 0; rand() >= 0 && line < 9; ++line) {
    if (pass == at_pass && line == at_line) {
      volatile int *nowhere = 0;
      *nowhere = 1;  // POINT fault
    }
    change(line);
  }
}

__attribute__((noinline)) static void passes(int at_pass, int at_line) {
  while (rand() >= 0 && pass < 5) {
    ++pass;
    lines(at_pass, at_line);
  }
}

__attribute__((noinline)) static void uncounted(void) {
  while (rand() >= 0) {
    if (++elsewhere > 100) break;
    change(elsewhere);
  }
}

__attribute__((noinline)) static void again(void) {
  while (rand() >= 0) {
    if (++twice % 7 == 0) break;
    change(twice);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pass = 0;
  if (argc > 3) uncounted();
  for (int i = 0; i < argc - 3; ++i) again();
  passes(atoi(argv[1]), atoi(argv[2]));
  return 0;
}
