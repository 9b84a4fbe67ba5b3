// A loop that waits for a number which the branch before its write never lets be written, because of what was computed
// long before.
#include <stdio.h>
#include <stdlib.h>

struct Search {
  int low;
  int high;
};

static int tolerance_of(const char *text) {
  return atoi(text) - 4;  // wrong
}

static int middle(const struct Search *search) {
  return (search->low + search->high) / 2;
}

int main(int argc, char **argv) {
  struct Search search = {.low = 0, .high = 64};
  int tolerance = tolerance_of(argc > 1 ? argv[1] : "4");
  int done = 0;
  while (!done) {
    const int at = middle(&search);
    if (at < 21) {
      search.low = at;
    } else {
      search.high = at;
    }
    if (search.high - search.low <= tolerance) {  // goes past
      done = 1;
    }
  }
  printf("%d\n", search.low);
  return 0;
}
