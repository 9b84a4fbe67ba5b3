// How a scope with variables is left is kept in a variable of the compiler's: what was decided inside decides what follows.
#include <stdio.h>
static int check(int *p) {
  return *p > 0;
}
static int find(int start, int value) {
  int result;
  if (start == 0) {
    int copy = value;
    if (!check(&copy))
      return 0;
    if (value == 77) {
      int flag = 0;
      if (!check(&flag))
        return 0;
    }
  }
  result = start + 5;
  return result;
}
int main(int argc, char **argv) {
  int value = argc + 3;
  int found = find(argc - 1, value);
  printf("%d\n", found);
  return 0;
}
// slice: --at 18 => 0 3 4 6 8 9 10 12 17 18 21 22 23
// slice: --at 24 --var found => 0 3 4 6 8 9 10 12 17 18 19 20 21 22 23 24
