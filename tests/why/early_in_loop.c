// Copies a text and leaves out what is marked: "a text" and a line of digits are expected. The loop goes on long after
// the wrong byte.
#include <stdio.h>
#include <string.h>

#define DIGITS "0123456789012345678901234567890123456789"

static int is_mark(char byte) {
  return byte == '<' || byte == '>';  // wrong: '|' marks, too
}

int main(void) {
  const char* text = "<a| text> " DIGITS DIGITS DIGITS DIGITS;
  char line[256];
  size_t length = 0;
  for (size_t i = 0; i < strlen(text); ++i) {
    if (is_mark(text[i])) continue;
    line[length++] = text[i];
  }
  line[length] = '\0';
  puts(line);
  return 0;
}
