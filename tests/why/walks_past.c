// A pointer walks past the end of the array that it was made from.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int longest(const char *text) {
  char word[12];
  int most = 0;
  const char *from = text;
  while (*from) {
    char *to = word;
    while (*from && !isspace((unsigned char)*from)) *to++ = *from++;  // far past
    *to = 0;  // just past
    if (to - word > most) most = (int)(to - word);
    while (isspace((unsigned char)*from)) from++;
  }
  return most;
}

/// Stays inside, by pointers that go to and fro.
__attribute__((noinline)) static int turned(char *text) {
  char copy[32];
  char *last = copy;
  for (const char *each = text; *each && last < copy + sizeof copy - 1; each++) *last++ = *each;
  *last = 0;
  char *first = copy;
  while (first < --last) {
    const char kept = *first;
    *first++ = *last;
    *last = kept;
  }
  strcpy(text, copy);
  return text[0];
}

int main(int argc, char **argv) {
  char last[] = "the end";
  const int letters = longest(argv[1]);
  printf("%d %c\n", letters, turned(last));
  return argc > 2 && letters > 12;
}
