// Says what is wrong unless it is told to be quiet. That it was not told so is not why it fails.
#include <stdio.h>
#include <string.h>

static int check(const char* text) {
  int depth = 0;
  for (; *text; ++text) {
    if (*text == '[') ++depth;
    if (*text == ']') --depth;  // closes
  }
  return depth;
}

int main(int argc, char** argv) {
  int quiet = 0;  // setting
  int at = 1;
  if (argc > at && strcmp(argv[at], "-q") == 0) {
    quiet = 1;
    ++at;
  }
  const int left = argc > at ? check(argv[at]) : 0;
  int status = 0;
  if (left != 0) {  // decides
    if (!quiet) {
      fprintf(stderr, "brackets do not match\n");  // says
    }
    status = 1;
  }
  return status;
}
