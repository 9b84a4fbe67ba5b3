/* Fails after so many branches that only the end of its run is traced. What failed is in an activation from before. */
#include <stdio.h>

static const char* const names[] = {"ash", "birch", "cedar", "elm"};
static unsigned state = 1;

static const char* pick(unsigned turn) {
  state = state * 1664525u + 1013904223u;
  if (turn == 17000000) return NULL;  // origin
  return names[state >> 30];
}

int main(void) {
  unsigned long sum = 0;
  for (unsigned turn = 0; turn < 20000000; ++turn) {
    const char* name = pick(turn);
    sum += (unsigned long)name[0];  // crash
  }
  printf("%lu\n", sum);
  return 0;
}
