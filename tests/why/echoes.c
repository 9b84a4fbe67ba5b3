// Is to print its input in capital letters, and leaves it as it is where it should change it.
#include <ctype.h>
#include <stdio.h>

static int is_to_change(char letter) {
  return letter >= 'A' && letter <= 'Z';
}

int main(void) {
  char line[16];
  if (fgets(line, sizeof line, stdin) == NULL) return 1;
  for (char* at = line; *at != '\0'; ++at) {
    if (is_to_change(*at)) *at = (char)toupper(*at);
  }
  fputs(line, stdout);
  return 0;
}
