// Gives up at a kind that it does not know, which was made long before: as many good ones come after it.
#include <stdlib.h>

enum { kNumber = 1, kText = 2 };

static int kinds[8];

static void read_all(void) {
  for (int i = 0; i < 8; ++i) {
    if (i == 2) {
      kinds[i] = i + 4;
    } else {
      kinds[i] = kNumber;
    }
  }
}

static void fail(void) {
  abort();
}

static int size_of(int kind) {
  switch (kind) {
    case kNumber:
      return 8;
    case kText:
      return 16;
    default:
      fail();
      return 0;
  }
}

int main(void) {
  int all = 0;
  read_all();
  for (int i = 7; i >= 0; --i) all += size_of(kinds[i]);
  return all == 64 ? 0 : 1;
}
