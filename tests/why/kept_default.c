// Looks for a key that is not there, because it was made wrong, and goes on with the number that the search began with.
#include <stdio.h>
#include <stdlib.h>

static char keys[4];
static int prices[4] = {5, 7, 9, 11};

static void fill(int first) {
  keys[0] = (char)first;
  keys[1] = (char)(first + 7);
  keys[2] = (char)(first + 2);
  keys[3] = (char)(first + 3);
}

static int position_of(int wanted) {
  int at = -1;
  for (int i = 0; i < 4; ++i) {
    if (keys[i] == wanted) at = i;
  }
  return at;
}

int main(int argc, char** argv) {
  fill('a');
  const int at = position_of(argc > 1 ? argv[1][0] : 'a');
  if (at < 0) abort();
  printf("%d\n", prices[at]);
  return 0;
}
