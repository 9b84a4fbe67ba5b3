// Writes wherever it can, also where it is controlled from: no answer may be wrong for that, and nothing may crash.
#include <stdio.h>
#include <string.h>

static char line[256];

int main(int argc, char **argv) {
  FILE *maps = fopen("/proc/self/maps", "r");
  static unsigned long begins[4096], ends[4096];
  int count = 0;
  while (fgets(line, sizeof line, maps)) {
    char mode[8];
    if (count < 4096 && sscanf(line, "%lx-%lx %7s", &begins[count], &ends[count], mode) == 3 && strcmp(mode, "rw-s") == 0) ++count;
  }
  fclose(maps);
  (void)argv;
  if (argc < 9) {
    for (int i = 0; i < count; ++i) memset((void *)begins[i], 0xee, ends[i] - begins[i]);
  }
  printf("damaged\n");
  return 0;
}
