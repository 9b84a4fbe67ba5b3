// A number is computed wrong where no branch decides anything, and goes on through returns and sums to what is printed.
#include <stdio.h>
#include <string.h>

static int digits_of(const char *text) {
  return (int)strlen(text) + 1;  // wrong
}

static int width(const char *text, int pad) {
  int digits = digits_of(text);
  return digits + pad;
}

int main(int argc, char **argv) {
  int last = width(argc > 1 ? argv[1] : "hello", 2);
  printf("%d\n", last);
  return 0;
}
