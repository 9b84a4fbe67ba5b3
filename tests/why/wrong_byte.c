// Makes a line byte by byte and puts it out whole: "a1b2c3" is expected.
#include <stdio.h>

static char line[16];

static void append(int at, char byte) {
  line[at] = byte;
}

int main(void) {
  int at = 0;
  for (int i = 0; i < 3; ++i) {
    append(at++, (char)('a' + i));
    const int digit = i * i + 1;
    append(at++, (char)('0' + digit));
  }
  append(at++, '\n');
  fputs(line, stdout);
  return 0;
}
