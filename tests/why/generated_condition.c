// A condition in a function of which no line is known goes past a write.
#include <stdio.h>

static int limit = 1;

static void set(void) {
  limit = 5;
}

__attribute__((nodebug)) static void choose(const char *text) {
  if (*text == 'x') set();
}

int main(int argc, char **argv) {
  choose(argc > 1 ? argv[1] : "y");
  printf("%d\n", limit);
  return 0;
}
