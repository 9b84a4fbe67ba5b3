// A value on its way through parameters, returns, memory and copies of structures; what only computes is no copy.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair {
  int first;
  int second;
};
static int identity(int value) { return value; }
int main(void) {
  struct pair *one = malloc(sizeof *one);
  struct pair *other = malloc(sizeof *other);
  int seed = atoi("40") + 2;
  int unrelated = atoi("7");
  one->first = unrelated;
  one->second = identity(seed);
  memcpy(other, one, sizeof *one);
  struct pair third = *other;
  int result = third.second;
  printf("%d %d\n", result, third.first);
  return 0;
}
// slice: --at 19 --var result --no-control => 9 11 12 13 16 17 18 19
// slice: --at 20 --var third --no-control --no-address => 14 15 17 18 20
// chain: --at 19 --var result => 19 18 17 16 9 16 13
