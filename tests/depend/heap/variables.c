// Calls that go past the end of the variable that they begin in.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  char name[8], other[8];
};
static char title[8];
static char behind[64];

__attribute__((noinline)) static int named(const char *text) {
  char clean[8];
  char more[40];
  strcpy(clean, text);  // variable: writes 8 of clean 8
  memset(more, 0, sizeof more);
  memcpy(more, text, strlen(text) + 1);
  struct pair two;
  memset(&two, 0, sizeof two);
  strcpy(two.name, "abcdefghij");
  return clean[0] + more[1] + two.other[0];
}

int main(int argc, char **argv) {
  (void)argv;
  int sum = named("123456789");
  sprintf(title, "item %d", 1000 * argc);  // variable: writes 8 of title 8
  snprintf(behind, sizeof behind, "%s", title);  // variable: reads 8 of title 8
  memmove(behind + 1, behind, sizeof behind - 1);
  printf("%d %s\n", sum > 0, behind + 4);
  return 0;
}
