// Two words with a dash in between: "left-right" is expected.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t join(char* to, const char* one, const char* other) {
  size_t length = strlen(one);
  memcpy(to, one, length);
  to[length++] = '-';
  memcpy(to + length, other, strlen(other));
  to[length + strlen(other)] = '\n';
  length += strlen(other);
  return length - 1;
}

int main(void) {
  char line[64];
  const size_t bytes = join(line, "left", "right");
  write(1, line, bytes);
  write(1, "\n", 1);
  return 0;
}
