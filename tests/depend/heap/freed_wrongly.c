// The library ends the program at the second release; what was released inside of a block comes before.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void drop(char *block) { free(block); }  // twice: gives back 0 of 40

int main(void) {
  char *block = malloc(40);
  char *other = malloc(40);
  other[39] = 1;
  drop(block);
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("once");
  drop(block);
  return other[39];
}
