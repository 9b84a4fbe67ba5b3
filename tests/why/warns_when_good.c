// A good run says something on standard error, which is no part of its output.
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc > 1) {
    fprintf(stderr, "%s: takes %s\n", argv[0], argv[1]);
    puts("good");
  } else {
    puts("bad");
  }
  return 0;
}
