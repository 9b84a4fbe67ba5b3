// A length is negative, and taken for a huge one where it is used.
#include <stdio.h>
#include <string.h>

static int length_of(const char *text) {
  const char *end = strchr(text, ':');
  return (int)(end - text) - 1;  // wrong
}

int main(int argc, char **argv) {
  const char *text = argc > 1 ? argv[1] : ":rest";
  char name[32];
  int length = length_of(text);
  memcpy(name, text, (size_t)length);
  name[length] = 0;
  printf("%s\n", name);
  return 0;
}
