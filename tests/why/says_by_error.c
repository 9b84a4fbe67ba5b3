// Says what is wrong by error(3), of which nobody knows how long its text is, within functions that only format.
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum result { kFine, kEmpty, kRest };

static void complain(const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0) abort();
  va_end(arguments);
  error(0, 0, "%s", text);
  free(text);
}

static enum result value_of(const char *text, long *value) {
  char *end;
  *value = strtol(text, &end, 0);
  if (end == text) return kEmpty;
  return *end == '\0' ? kFine : kRest;  // made
}

static void show(const char *text) {
  long value;
  switch (value_of(text, &value)) {
    case kFine:
      printf("%ld\n", value);
      break;
    case kEmpty:
      complain("'%s' is no number", text);
      break;
    case kRest:
      complain("'%s' goes on after a number", text);  // says
      break;
  }
}

int main(int argc, char **argv) {
  for (int each = 1; each < argc; ++each) show(argv[each]);
  return 0;
}
