// A pointer that is meant for an array is null: it leads nowhere, and past no array.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int first_letter(const char *text, int kept) {
  char copy[16];
  char *to = NULL;
  if (kept) to = copy;  // never
  *to = text[0];        // fails
  return copy[0];
}

int main(int argc, char **argv) {
  printf("%d\n", first_letter(argv[0], argc > 1));
  return 0;
}
