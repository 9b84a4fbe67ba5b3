// Code that a generator wrote: some of it has no line, and one function nothing of the kind.
#include <stdio.h>
#include <stdlib.h>

static int state_of(const char* text) {
  int state = 1;
  for (; *text; ++text) {
#line 0
    if (*text == 'e') state = 0;
#line 11
  }
  return state;
}

__attribute__((nodebug)) static int skip(const char* text) {
  int count = 0;
  while (*text++ == ' ') ++count;
  return count;
}

int main(int argc, char** argv) {
  const char* text = argc > 1 ? argv[1] : " the";
  text += skip(text);
  if (state_of(text) == 0) abort();
  puts("fine");
  return 0;
}
