/* Fails in one of sixteen runs. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static int is_late(unsigned char chance) { return chance % 16 == 0; }

int main(void) {
  unsigned char chance = 0;
  if (getrandom(&chance, 1, 0) != 1) return 1;
  if (is_late(chance)) {
    puts("late");
    abort();
  }
  puts("in time");
  return 0;
}
