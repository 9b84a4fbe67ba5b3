// No size is given for this unit, so `scale` is read before it has a value: "3 kg" is expected.
#include <stdio.h>
#include <string.h>

static const char* amount(const char* unit, int grams) {
  static char text[32];
  int scale;
  if (strcmp(unit, "g") == 0) scale = 1;
  if (strcmp(unit, "t") == 0) scale = 1000000;
  snprintf(text, sizeof text, "%d %s", grams / scale, unit);
  return text;
}

int main(void) {
  puts(amount("kg", 3000));
  return 0;
}
