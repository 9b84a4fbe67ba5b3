// A program with its own memcpy, memset and strlen, whose loops must not become calls of themselves.
// FLAGS: -fno-builtin
// EXPECT: copied, length 6, set aaaa
#include <stddef.h>
#include <stdio.h>

__attribute__((used)) void* memcpy(void* restrict to, const void* restrict from, size_t n) {
  for (size_t i = 0; i < n; i++) ((char*)to)[i] = ((const char*)from)[i];
  return to;
}
__attribute__((used)) void* memset(void* to, int c, size_t n) {
  for (size_t i = 0; i < n; i++) ((char*)to)[i] = (char)c;
  return to;
}
__attribute__((used)) size_t strlen(const char* s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

int main(void) {
  char text[16], set[8];
  memcpy(text, "copied", 7);
  memset(set, 'a', 4);
  set[4] = 0;
  printf("%s, length %zu, set %s\n", text, strlen(text), set);
  return 0;
}
