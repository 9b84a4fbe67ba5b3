// Letters and digits are to be printed, but no other character: "ab1" is expected of "ab?1".
#include <stdio.h>

static int is_sign(int c) {
  if (c == '!' || c == '"' || c == '#' || c < ' ' || c > '~') return 1;
  return 0;
}

static void print(const char* text) {
  for (; *text; ++text) {
    if (is_sign(*text)) continue;
    putchar(*text);
  }
}

int main(void) {
  print("ab?1");
  putchar('\n');
  return 0;
}
