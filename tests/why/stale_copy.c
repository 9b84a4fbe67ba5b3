// A pointer that is taken before its block moves: "new" is expected. Nobody else gets the freed block, so that the old
// text is still in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* text;
static size_t size;

static void need(size_t bytes) {
  if (bytes <= size) return;
  size = bytes;
  text = realloc(text, size);
}

int main(void) {
  need(64);
  strcpy(text, "a name of some length, which is old");
  char* line = text + 32;
  char* in_the_way = malloc(64);
  need(100000);
  strcpy(text, "a name of some length, which is new");
  puts(line);
  free(in_the_way);
  free(text);
  return 0;
}
