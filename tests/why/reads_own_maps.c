// How many branches it executes depends on its memory's map, which is a longer one when the run is cut off from the
// outside. Then a condition right before the output is wrong.
#include <stdio.h>

static unsigned char map[1 << 16];

static int unused_room(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  size_t used = file ? fread(map, 1, sizeof map, file) : 0;
  int rounds = 0;
  for (; used < sizeof map; used += 16) rounds += map[used / 2] != 1;
  if (file) fclose(file);
  return rounds;
}

int main(int argc, char **argv) {
  (void)argv;
  if (unused_room() < 1) return 4;
  if (argc > 1) {  // wrong
    puts("one");
  } else {
    puts("none");
  }
  return 0;
}
