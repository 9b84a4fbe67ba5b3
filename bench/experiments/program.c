// Fills as many megabytes as its first argument says, then takes a branch that a measurement switches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int decide(int count) {
  if (count > 3) return 1;
  return 0;
}

int main(int argc, char** argv) {
  size_t bytes = (size_t)atoi(argv[1]) << 20;
  char* memory = malloc(bytes + 1);
  memset(memory, 1, bytes + 1);
  int decision = decide(argc);
  long sum = 0;
  for (size_t at = 0; at < bytes && at < 4096 * 16; at += 4096) sum += memory[at];
  printf("decision %d sum %ld\n", decision, sum);
  return decision;
}
