// Stops at the seventh line of its file: all of them are to be counted.
#include <stdio.h>

int main(int argc, char** argv) {
  FILE* in = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!in) return 1;
  setvbuf(in, NULL, _IOFBF, 64);
  char line[100];
  int lines = 0;
  while (fgets(line, sizeof line, in)) {
    ++lines;
    if (lines == 7) break;
  }
  printf("%d lines\n", lines);
  return 0;
}
