// What C leaves open but memory does not: overflows between locals, between globals and on the heap, reads after free,
// over-wide shifts, null comparisons, values never set. Every body gives the same answer.
// COMPARE: bodies
// ARGS: 1
// EXPECT: globals 7 scalars 8 locals 309
// EXPECT: heap 7 freed 7 reused 2 members 9
// EXPECT: types 1.07374e+09 unset -1431655766 shift 2 wrap 0 left 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int first[4], second[4];
static int settled = 5, follows = 6;
struct Pair { int left[2], right[2]; };

static void fill(int* cells, int count, int value) {
  for (int i = 0; i < count; i++) cells[i] = value;
}

__attribute__((noinline)) static int between_globals(int n) {
  second[0] = 1;
  first[second - first + n - 1] = 7;
  return second[0];
}

__attribute__((noinline)) static int between_scalars(int n) {
  follows = 1;
  (&settled)[&follows - &settled + n - 1] = 8;
  return follows;
}

__attribute__((noinline)) static int between_locals(int n) {
  int guard = 1, block[4], after = 2;
  fill(&guard, 1, 3);
  fill(&after, 1, 4);
  fill(block, 4 + n, 9);
  return guard * 100 + after;
}

__attribute__((noinline)) static int on_the_heap(int n) {
  int* low = malloc(24);
  int* high = malloc(24);
  high[0] = 1;
  low[high - low - 1 + n] = 7;
  int seen = high[0];
  free(low);
  free(high);
  return seen;
}

__attribute__((noinline)) static int after_free(int n) {
  int* cells = malloc(64);
  fill(cells, 16, 7);
  free(cells);
  return cells[8 + n];
}

__attribute__((noinline)) static int reused(void) {
  int* old = malloc(32);
  old[4] = 1;
  free(old);
  int* fresh = malloc(32);
  fresh[4] = 2;
  int seen = old[4];
  free(fresh);
  return seen;
}

__attribute__((noinline)) static int across_members(int n) {
  struct Pair pair = {{1, 2}, {3, 4}};
  pair.left[1 + n] = 9;
  return pair.right[0];
}

__attribute__((noinline)) static float by_another_type(int* cell, float* same) {
  *cell = 1;
  *same = 2.0f;
  return (float)*cell;
}

__attribute__((noinline)) static int never_set(int n) {
  int value;
  if (n > 5) value = 3;
  return value;
}

__attribute__((noinline)) static int wide_shift(int n) { return 1 << (32 + n); }
__attribute__((noinline)) static int wraps(int n) { return n + 0x7fffffff > n; }
__attribute__((noinline)) static int left_over(void) {
  int cells[8];
  return cells[3] == cells[3];
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  printf("globals %d scalars %d locals %d\n", between_globals(n), between_scalars(n), between_locals(n));
  printf("heap %d freed %d reused %d members %d\n", on_the_heap(n), after_free(n), reused(), across_members(n));
  int cell = 0;
  printf("types %g unset %d shift %d wrap %d left %d\n", by_another_type(&cell, (float*)&cell), never_set(n),
         wide_shift(n), wraps(n), left_over());
  return 0;
}
