// Says what is wrong where it notices, by a function that formats, and ends with a status much later. The number that
// made it complain was chosen in another function.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum result { kFine, kTooShort, kBadMark };

static int status, is_quiet;
static int lines_read;

#define REPORT(...)          \
  do {                       \
    if (is_quiet) {          \
      status = 1;            \
    } else {                 \
      complain(__VA_ARGS__); \
    }                        \
  } while (0)

static void complain(const char* format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fputs("says_and_ends: ", stderr);
  fputs(text, stderr);
  fputs("\n", stderr);
  status = 2;
}

static enum result decode(const char* line) {
  if (line[0] == '\0') return kTooShort;
  if (line[0] != '#') return kBadMark;
  return kFine;
}

static void read_line(const char* line) {
  const enum result result = decode(line);
  const int stops = result != kFine;
  ++lines_read;
  if (stops) REPORT("line %d is wrong", lines_read);
}

static void finish(void) {
  printf("%d lines\n", lines_read);
  exit(status);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) read_line(argv[i]);
  finish();
}
