// Addresses that are computed from pointers and counters, which a trace does not record: loops, steps, copies, both
// signs, and what a callee's activation must not disturb.
#include <stdlib.h>
struct item {
  int weight;
  struct item *next;
};
int sink;
static int table[16];
static int total(const int *numbers, int count) {
  int sum = 0;
  for (int i = count - 1; i >= 0; i--) sum += numbers[i];
  return sum;
}
static int depth_sum(int *numbers, int left) {
  if (left == 0) return 0;
  int *own = numbers + left;
  int below = depth_sum(numbers, left - 1);
  return below + own[-1];
}
int main(int argc, char **argv) {
  int numbers[8];
  for (unsigned char i = 0; i < 8; i++) numbers[i] = i * argc;
  int *end = numbers + 8;
  for (int *at = numbers; at != end; ++at) *at += 1;
  numbers[3] = 40;
  table[argc + 4] = 50;
  int found = 0;
  for (int i = 0; i < 16; i++) {
    if (i == 5) found = table[i];
  }
  int third = numbers[3];
  struct item *first = malloc(sizeof *first);
  struct item *second = malloc(sizeof *second);
  first->next = second;
  second->weight = 60;
  second->next = 0;
  int weight = 0;
  for (struct item *each = first; each; each = each->next) weight = each->weight;
  int sum = total(numbers, 8);
  int deep = depth_sum(numbers, 8);
  sink = found;
  sink = third;
  sink = weight;
  sink = sum;
  sink = deep;
  return 0;
}
// slice: --at 42 --no-control --no-address => 27 30 42
// slice: --at 43 --no-control --no-address => 26 32 43
// slice: --at 44 --no-control --no-address => 36 39 44
// slice: --at 45 --no-control --no-address => 11 12 13 21 23 25 26 40 45
// slice: --at 46 --no-control --no-address => 16 18 19 20 21 23 25 26 41 46
