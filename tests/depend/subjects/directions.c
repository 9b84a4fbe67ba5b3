// Forward slices, chops, and what is pruned: a function, a library's function, lines and a variable.
#include <stdio.h>
#include <stdlib.h>
static int total, factor;
static int scale(int value) {
  int scaled = value * factor;
  return scaled;
}
static int shift(int value) {
  return value + 1;
}
int main(int argc, char **argv) {
  int first = argc;
  factor = atoi("3");
  int left = scale(first);
  int right = shift(first);
  total = left + right;
  int unrelated = factor + 5;
  printf("%d\n", unrelated);
  printf("%d\n", total);
  char *text = argv[0];
  long parsed = strtol(text, 0, 10);
  return parsed == total;
}
// slice: --at 20 => 5 6 7 9 10 12 13 14 15 16 17 20
// slice: --at 14 --forward => 6 7 14 15 17 18 19 20 23
// slice: --at 16 --forward => 9 10 16 17 20 23
// slice: --at 20 --from 16 => 9 10 16 17 20
// slice: --at 20 --from 14 => 6 7 14 15 17 20
// slice: --at 20 --prune shift => 5 6 7 12 13 14 15 16 17 20
// slice: --at 20 --prune scale => 9 10 12 13 15 16 17 20
// slice: --at 22 --var parsed => 12 21 22
// slice: --at 22 --var parsed --prune libraries => 22
// slice: --at 22 --var parsed --prune strtol => 22
// slice: --at 20 --prune directions.c:5-8 => 9 10 12 13 15 16 17 20
// slice: --at 20 --prune var:factor --no-control => 5 6 7 9 10 12 13 15 16 17 20
// slice: --at 20 --prune var:factor --prune shift --no-control => 5 6 7 12 13 15 16 17 20
