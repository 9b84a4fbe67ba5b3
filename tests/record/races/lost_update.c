// Read-modify-write without a lock: an update is lost.
#include <pthread.h>

static volatile int count;

static void* add(void* argument) {
  for (int each = 0; each < 3; each++) count = count + 1;
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int each = 0; each < 2; each++) pthread_create(&threads[each], 0, add, 0);
  for (int each = 0; each < 2; each++) pthread_join(threads[each], 0);
  return count == 6 ? 0 : 1;
}
