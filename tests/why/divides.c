// A division by nothing: the divisor came from elsewhere, and what was divided is good.
#include <stdio.h>
#include <string.h>

struct Page {
  int lines;
  int columns;
};

static int columns_of(const char *text) {
  return (int)strcspn(text, ":") - 3;  // wrong
}

static void set(struct Page *page, const char *text) {
  page->columns = columns_of(text);
}

int main(int argc, char **argv) {
  struct Page page = {.lines = 7, .columns = 1};
  set(&page, argc > 1 ? argv[1] : "abc:");
  int width = 80 + page.lines;
  int each = width / page.columns;  // fails
  printf("%d\n", each);
  return 0;
}
