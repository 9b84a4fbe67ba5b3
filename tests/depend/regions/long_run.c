// More than 20 million ticks; what the crash comes of is done at the end, but for `base`.
#include <stdio.h>
#include <stdlib.h>

static unsigned table[64];
static int base;

static unsigned mix(unsigned x, int i) {
  table[i & 63] ^= x;  // mixed
  return (x & 1) ? x / 2 : x * 3 + table[(i * 7) & 63];
}

int main(int count, char **words) {
  base = count;  // before
  puts("what the program puts out");
  unsigned x = 12345;
  for (int i = 0; i < 21000000; ++i) x = mix(x, i);
  int *cell = x == 1 ? &base : NULL;  // null
  if (base > 5) cell = &base;
  return *cell;  // crash
}
