/* A pointer goes through a long text step by step, and past its end: each step leads to the one before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const* table(const char* text, unsigned long* sum) {
  const char* at = text;
  while (*at != '!') *sum += (unsigned char)*at++;
  return at[1] == '?' ? &text : NULL;  // origin
}

int main(void) {
  enum { kBytes = 300000 };
  char* text = malloc(kBytes + 2);
  memset(text, 'a', kBytes);
  text[kBytes] = '!';
  text[kBytes + 1] = 0;
  const char* at = text;
  unsigned long sum = 0;
  const char* const* found = table(text, &sum);
  while (*at != '!') sum += (unsigned char)*at++;
  printf("%lu %c\n", sum, **found);  // crash
  return 0;
}
