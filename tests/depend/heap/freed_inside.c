// What is given back does not begin a block.
#include <stdlib.h>

int main(int argc, char **argv) {
  (void)argv;
  char *block = malloc(64);
  free(block + argc * 16);  // inside: gives back 16 of 64
  return 0;
}
