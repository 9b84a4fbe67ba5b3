// A length is negative, and taken for a huge one where it is used. (Whether the C library's memcpy faults then depends on
// how source and destination lie to each other in their pages: here as in every build.)
#include <stdio.h>
#include <string.h>

static char line[4096] = ":rest";

static int length_of(const char *text) {
  const char *end = strchr(text, ':');
  return (int)(end - text) - 1;  // wrong
}

int main(int argc, char **argv) {
  if (argc > 1) strncpy(line, argv[1], sizeof(line) / 4);
  char *name = line + sizeof(line) / 2;
  int length = length_of(line);
  memcpy(name, line, (size_t)length);
  name[length < 0 ? 0 : length] = 0;
  printf("%s\n", name);
  return 0;
}
