/* A trace of the end begins in the middle of all these activations: with pointers and counters that are known from
   before, with variables whose address is taken, called directly, by pointers, by qsort, recursively, and in reach of a
   jump back. The lines that are marked are executed behind the beginning only. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 6000, kLast = 100, kCells = 64 };
static int cells[kCells];
static unsigned long sum;
static jmp_buf back;

__attribute__((noinline)) static int compare(int one, int other) {
  int same = 0;
  for (int bit = 512; bit != 0 && same == 0; bit >>= 1) same = !!(one & bit) - !!(other & bit);
  return same;
}

static int order(const void* a, const void* b) {
  const int *one = a, *other = b;
  const int found = compare(*one, *other);
  return found != 0 ? found : compare(*one ^ 1, *other ^ 1);
}

static void spread(int* from, int count, int step) {
  for (int* p = from; p < from + count; ++p) *p = (*p * 3 + step) & 1023;
}

static unsigned long total(const int* from, int count) {
  unsigned long all = 0;
  for (int i = 0; i < count; ++i) all += (unsigned long)from[i];
  return all;
}

static unsigned long (*how)(const int*, int) = total;

static unsigned long descend(int depth, int round) {
  int local[4] = {depth, round, depth ^ round, 1};
  if (depth == 0) {
    spread(cells, kCells, round);
    return how(local, 4);
  }
  return descend(depth - 1, round) + how(local, depth < 4 ? depth : 4);
}

static void work(int* counted, int rounds) {
  int* at = cells;
  unsigned short mixed = 1;
  for (int round = 0; round < rounds; ++round) {
    ++*counted;
    mixed = (unsigned short)(mixed * 5 + round);
    *at = (int)descend(mixed % 5, round);
    if (++at == cells + kCells) at = cells;
    if (round % 16 == 15) qsort(cells, kCells, sizeof(int), order);
    if (round < rounds - kLast) continue;
    const int kept = *counted; /* last */
    const int before = at[kept % 7 == 0 ? 0 : -(at > cells)]; /* last */
    sum = sum * 31 + (unsigned long)(before ^ kept); /* last */
    if (rounds > kLast && round == rounds - kLast / 2) longjmp(back, round); /* last */
  }
}

int main(void) {
  int counted = 0;
  volatile int left = kRounds;
  const int from = setjmp(back);
  if (from != 0) left = kLast; /* last */
  work(&counted, left);
  printf("%lu %d\n", sum, counted); /* last */
  return 0;
}
