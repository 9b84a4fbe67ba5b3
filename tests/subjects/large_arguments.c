// Structures passed and returned by value in memory, with over-aligned members, through pointers to functions and recursion.
// EXPECT: 55 1045 1000
// EXPECT: aligned 0 0 0
// EXPECT: chain 210
#include <stdint.h>
#include <stdio.h>

struct Block { int cells[10]; };
struct Wide { _Alignas(64) char bytes[64]; long tag; };

static struct Block filled(int from) {
  struct Block block;
  for (int i = 0; i < 10; i++) block.cells[i] = from + i;
  return block;
}

static int change_and_sum(struct Block block, int by) {
  int* cell = block.cells;
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += (cell[i] += by);
  return sum;
}

static long misaligned(struct Wide wide, uintptr_t* where) {
  *where = (uintptr_t)&wide % 64;
  return wide.tag + wide.bytes[3];
}

static struct Block chain(struct Block block, int depth) {
  if (depth == 0) return block;
  struct Block next = block;
  next.cells[depth % 10] += depth;
  return chain(next, depth - 1);
}

int main(void) {
  int (*volatile through)(struct Block, int) = change_and_sum;
  struct Block one = filled(1);
  int first = through(one, 0);
  struct Wide wide = {{0, 0, 0, 3}, 997};
  uintptr_t inside = 1;
  long tag = misaligned(wide, &inside);
  printf("%d %d %ld\n", first, through(one, 99), tag);
  _Alignas(128) char far[16];
  printf("aligned %d %d %d\n", (int)((uintptr_t)&wide % 64), (int)inside, (int)((uintptr_t)far % 128));
  struct Block zero = {{0}};
  struct Block end = chain(zero, 20);
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += end.cells[i];
  printf("chain %d\n", sum);
  return 0;
}
