// Prints from a stale beginning to a fresh end: "new" is expected. Were the freed block above the other one, as it is
// when it is guarded, nothing would be read of it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *buffer, *end;

static void grow(void) {
  buffer = realloc(buffer, 512);
  strcpy(buffer + 16, "new");
  end = buffer + 20;
}

int main(void) {
  buffer = malloc(64);
  strcpy(buffer + 16, "old");
  char* in_the_way = malloc(64);
  memset(in_the_way, 0, 64);
  char* begin = buffer + 16;
  grow();
  for (const char* each = begin; each < end && *each; ++each) putchar(*each);
  puts("");
  free(in_the_way);
  free(buffer);
  return 0;
}
