/* EPID figure 11: both runs print at one point, though other decisions led there; and a value that one run alone makes. */
#include <stdio.h>

static int digit(const char* word) {
  return word[0] - '0';
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  int a = digit(argv[1]);
  int b = digit(argv[2]);
  int x = digit(argv[3]);
  int scale = digit(argv[4]);
  int print = 0;
  if (a) print = 1;
  if (b) print = 1;
  int shown = 1;
  if (x > 4)
    shown = 7;
  if (print) printf("%d\n", x * scale);
  return shown;
}
