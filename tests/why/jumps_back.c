// An endless loop inside of one that waits, both made by goto, on a part of a structure beside other variables.
#include <stdio.h>

static const char* name = "a";
static struct {
  int line;
  int kind;
} token;
static int count;

static void put_back(void) {
  token.kind = '=';
}

int main(void) {
  token.kind = ',';
again:
  token.line = ++count;
select:
  switch (token.kind) {
    case ',':
      token.kind = '=';
      goto again;
    case '=':
      put_back();
      goto select;
    default:
      break;
  }
  puts(name);
  return 0;
}
