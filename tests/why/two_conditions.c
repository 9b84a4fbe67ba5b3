// Two conditions are wrong in the same way; switching one of them is not enough.
#include <stdio.h>

static const char* size_of(int value) {
  if (value > 50) return "large";  // wrong: 5
  return "small";
}

static const char* weight_of(int value) {
  if (value > 50) return "heavy";  // wrong: 5
  return "light";
}

int main(void) {
  const char* size = size_of(9);
  const char* weight = weight_of(9);
  printf("%s %s\n", size, weight);
  return 0;
}
