// A variable that one way leaves unwritten: an index, a pointer, and a number that is printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Word {
  const char* text;
  int length;
};

static struct Word* find(struct Word* words, int count, const char* text) {
  struct Word* found;
  for (int i = 0; i < count; ++i) {
    if (strcmp(words[i].text, text) == 0) found = &words[i];
  }
  return found;
}

static int width_of(const char* kind) {
  int width;
  if (strcmp(kind, "narrow") == 0) width = 4;
  if (strcmp(kind, "wide") == 0) width = 8;
  return width;
}

static void show(int width) { printf("width %d\n", width); }

static int is_on(int argc) {
  int on;
  if (argc > 9) on = 0;
  if (on) return 5;
  return 1;
}

int main(int argc, char** argv) {
  struct Word words[] = {{"one", 3}, {"three", 5}};
  if (argc > 3) {
    show(is_on(argc));
    return 0;
  }
  if (argc > 2) {
    show(width_of(argv[2]));
    return 0;
  }
  struct Word* word = find(words, 2, argc > 1 ? argv[1] : "two");
  printf("%d\n", word->length);
  return 0;
}
