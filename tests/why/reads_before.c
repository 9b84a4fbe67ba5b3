// Looks at the last character of a text that may have none: the byte before the block. The status is that of a failure.
#include <stdlib.h>
#include <string.h>

static int ends_in_blank(const char* text) {
  const char* last = text + strlen(text) - 1;
  while (*last == ' ') --last;  // reads
  return last[1] == ' ';
}

int main(int argc, char** argv) {
  char* copy = strdup(argc > 1 ? argv[1] : "  ");  // allocates
  const int blank = ends_in_blank(copy);
  free(copy);
  return blank ? 3 : 0;
}
