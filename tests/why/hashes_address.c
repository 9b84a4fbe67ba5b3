// How many branches it executes depends on where a block lies, and that on the buffer of the output. Then it gives up:
// 7 is too large.
#include <error.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int hash_of(uintptr_t address) {
  int hash = 0;
  for (uintptr_t rest = address >> 4; rest % 509 != 0; ++rest) hash += 3;
  return hash;
}

static int checked(int number) {
  int most = 4;
  if (number > most) error(2, 0, "too large");
  return number;
}

int main(int argc, char** argv) {
  (void)argv;
  puts("begins");
  if (hash_of((uintptr_t)malloc(40)) < 0) return 4;
  printf("%d\n", checked(argc + 6));
  return 0;
}
