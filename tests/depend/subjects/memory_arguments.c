// A function that native code enters gets its last argument in memory.
#include <stdio.h>
struct pair { long one, other; };
typedef long (*function)(struct pair, struct pair, struct pair, struct pair);
int sink;
__attribute__((noinline)) long add(struct pair a, struct pair b, struct pair c, struct pair d) {
  return a.one + b.other + c.one + d.other;
}
static function volatile chosen = add;
int main(int argc, char **argv) {
  struct pair p = {argc, argc + 1};
  struct pair q = {5, 6};
  sink = chosen(p, p, p, q);
  return 0;
}
// slice: --at 13 --no-control --no-address => 6 7 10 11 12 13
