// Says what is wrong by a function that is given the list of another one's arguments, and puts out a text that it made of
// them. What made it complain was decided two functions further out.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int complaints;

__attribute__((noinline)) static void complain_of_list(const char *format, va_list arguments) {
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) abort();
  ++complaints;
  fprintf(stderr, "says_by_list: %s\n", text);
  free(text);
}

__attribute__((noinline)) static void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain_of_list(format, arguments);
  va_end(arguments);
}

static int is_number(const char *text) {
  while (*text >= '1' && *text <= '9') ++text;
  return *text == '\0';  // tested
}

int main(int argc, char **argv) {
  for (int each = 1; each < argc; ++each) {
    if (is_number(argv[each])) {
      printf("%s\n", argv[each]);
    } else {
      complain("'%s' is no number", argv[each]);  // says
    }
  }
  return complaints != 0;
}
