// A loop that stands still where one case inside one of many has no step; other cases have theirs, and one returns.
#include <stdio.h>
#include <string.h>

static int columns(const char *text, const char *end) {
  const char *at = text;
  int column = 0;
  while (at < end) {
    const unsigned char byte = (unsigned char)*at;
    switch (byte) {
      case '\0': return column;
      case '\n':
        column = 0;
        ++at;
        break;
      case '\t':
        column += 8;
        ++at;
        break;
      case '%':
        if (end - at > 2) {  // goes past
          at += 3;
          ++column;
        }
        break;
      default:
        ++column;
        ++at;
        break;
    }
  }
  return column;
}

int main(int argc, char **argv) {
  const char *text = argc > 1 ? argv[1] : "one\t%20two%2";
  printf("%d\n", columns(text, text + strlen(text)));
  return 0;
}
