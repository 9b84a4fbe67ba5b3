/* A condition is the opposite of what is meant, so that every line is wrong. */
#include <stdio.h>

static const char* kind_of(int value) {
  if (value % 2 == 0) return "odd";
  return "even";
}

int main(void) {
  for (int value = 1; value <= 5; value++) printf("%d %s\n", value, kind_of(value));
  return 0;
}
