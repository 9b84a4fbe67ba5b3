// What chose a value, though it is a constant: the operands of &&, || and ?: that decided.
#include <stdlib.h>
int main(int argc, char **argv) {
  int a = argv[1][0] - '0';
  int b = argv[2][0] - '0';
  int both = a && b;
  int one = a || b;
  int chosen = a ? 7 : argc;
  return both + one + chosen;
}
// arguments: 0 1
// slice: --at 6 --var both => 3 4 6
// slice: --at 7 --var one => 3 4 5 7
// slice: --at 8 --var chosen => 3 4 8
// slice: --at 8 --var chosen --no-control => 3 8
// arguments: 1 1
// slice: --at 6 --var both => 3 4 5 6
// slice: --at 7 --var one => 3 4 7
// slice: --at 8 --var chosen => 3 4 8
