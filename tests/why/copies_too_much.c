// A helper that knows its target by a pointer only copies more than that holds, into what lies behind it.
#include <stdio.h>

struct limits {
  int least, most;
};

static void copy(char* to, const char* from) {
  while ((*to++ = *from++)) {  // leaves
  }
}

static void set(struct limits* limits, int least, int most) {
  limits->least = least;
  limits->most = most;
}

static int count(const char* text, const struct limits* limits) {
  int length = 0;
  while (text[length]) ++length;
  return length >= limits->least && length <= limits->most;
}

int main(int argc, char** argv) {
  struct limits limits;
  char title[8];  // too small
  set(&limits, 3, 20);
  copy(title, argc > 1 ? argv[1] : "a longer title");
  printf("%s %d\n", title, count(title, &limits));
  return 0;
}
