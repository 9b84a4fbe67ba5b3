// A va_list that is handed to the library: each conversion's text comes from the argument that it takes.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static char text[100];
static void format(const char *pattern, ...) {
  va_list list;
  va_start(list, pattern);
  vsnprintf(text, sizeof text, pattern, list);
  va_end(list);
}
static void format_on(const char *pattern, va_list list) { vsprintf(text, pattern, list); }
static void log_line(int level, const char *pattern, ...) {
  va_list list;
  va_start(list, pattern);
  format_on(pattern, list);
  va_end(list);
  (void)level;
}
static void print(const char *pattern, ...) {
  va_list list;
  va_start(list, pattern);
  vprintf(pattern, list);
  va_end(list);
}
int main(void) {
  int a = atoi("11");
  int b = atoi("22");
  double x = atof("1.5");
  char word[4];
  word[0] = (char)atoi("97");
  word[1] = (char)atoi("98");
  word[2] = 0;
  format("%d %d %.1f|%s.", a, b, x, word);
  volatile char first = text[0];
  volatile char second = text[3];
  volatile char third = text[6];
  volatile char letter = text[11];
  log_line(1, "%d%d%d%d%d:%*d %.1f", 1, 2, 3, 4, 5, 3, a, x);
  volatile char behind = text[8];
  volatile char fraction = text[10];
  print("%d %s %d\n", a, word, b);
  return first + second + third + letter + behind + fraction == 0;
}
// slice: --at 43 --var first --no-control --no-address => 9 27 34 35 43
// slice: --at 43 --var second --no-control --no-address => 9 28 34 36 43
// slice: --at 43 --var third --no-control --no-address => 9 29 34 37 43
// slice: --at 43 --var letter --no-control --no-address => 9 32 38 43
// slice: --at 43 --var behind --no-control --no-address => 12 27 39 40 43
// slice: --at 43 --var fraction --no-control --no-address => 12 29 39 41 43
// slice: --at stdout:0 --no-control --no-address => 27 42
// slice: --at stdout:3 --no-control --no-address => 31 42
// slice: --at stdout:6 --no-control --no-address => 28 42
// chain: --at 43 --var letter => 43 38 9 32
