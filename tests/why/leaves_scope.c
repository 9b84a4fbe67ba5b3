// A scope with a variable is left by several ways, so that the compiler makes a branch of its own at the scope's end.
// "odd 3" and "even 4" are expected.
#include <stdio.h>
#include <string.h>

static const char* kind_of(int number, char* text) {
  for (int turn = 0; turn < 2; ++turn) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    if (digits[0] == '-') continue;
    if (number % 2 == turn) {  // 1 - turn
      strcpy(text, digits);
      return turn == 0 ? "odd" : "even";
    }
    if (number > 100) break;
  }
  return "?";
}

int main(void) {
  char text[16];
  for (int number = 3; number < 5; ++number) {
    const char* kind = kind_of(number, text);
    printf("%s %s\n", kind, text);
  }
  return 0;
}
