// Stale cache: the value is read before it changes and kept under the version that it has afterwards.
#include <pthread.h>

static volatile int value = 10, version = 1;
static int cached_value, cached_version;

static void* change(void* argument) {
  value = 20;
  version = 2;
  return argument;
}

static int read_cached(void) {
  if (cached_version != version) {
    cached_value = value;
    cached_version = version;
  }
  return cached_value;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, change, 0);
  read_cached();
  pthread_join(thread, 0);
  return read_cached() == 20 ? 0 : 1;
}
