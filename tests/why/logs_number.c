// A message names a status as text: the format is good, and what the list of arguments holds is not.
#include <stdarg.h>
#include <stdio.h>

struct request {
  int id;
  const char *path;
  int status;
};

static void log_line(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stdout, format, arguments);  // crash
  va_end(arguments);
}

static void say(const struct request *done) {
  if (done->status < 400) {
    log_line("request %d: %s\n", done->id, done->path);
  } else {
    log_line("request %d failed: %s (%s)\n", done->id, done->path, done->status);  // wrong
  }
}

int main(void) {
  const struct request all[] = {{1, "/index.html", 200}, {2, "/favicon.ico", 404}, {3, "/", 200}};
  for (int each = 0; each < 3; ++each) say(&all[each]);
  return 0;
}
