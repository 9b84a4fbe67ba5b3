// A function knows two operators of truth values, and gives up at a third that the program can be asked for.
#include <stdio.h>
#include <stdlib.h>

enum { kNot, kIdentity, kNegate };

static int apply(int operation, int value) {
  int result = 0;
  switch (operation) {
    case kNot:
      result = !value;
      break;
    case kIdentity:
      result = value;
      break;
    default:
      abort();
  }
  return result;
}

int main(void) {
  static const char kProgram[] = "!+-";
  int value = 1;
  for (const char* at = kProgram; *at != '\0'; ++at) {
    value = apply(*at == '!' ? kNot : *at == '+' ? kIdentity : kNegate, value);
  }
  printf("%d\n", value);
  return 0;
}
