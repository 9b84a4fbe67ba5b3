// Atomicity violation, two variables: length and contents belong together and are changed one after the other.
#include <pthread.h>
#include <stdlib.h>

static int length = 2;
static int contents[8] = {1, 1};

static void* grow(void* argument) {
  length = 6;
  for (int each = 2; each < 6; each++) contents[each] = 1;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, grow, 0);
  int sum = 0;
  const int count = length;
  for (int each = 0; each < count; each++) sum += contents[each];
  pthread_join(thread, 0);
  return sum == count ? 0 : 1;
}
