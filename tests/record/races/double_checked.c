// Double-checked locking: the object is published before it is complete.
#include <pthread.h>
#include <stdlib.h>

struct Settings {
  int size;
  int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Settings* volatile settings;

static struct Settings* get(void) {
  if (!settings) {
    pthread_mutex_lock(&lock);
    if (!settings) {
      settings = calloc(1, sizeof *settings);
      settings->size = 3;
      settings->limit = 12;
    }
    pthread_mutex_unlock(&lock);
  }
  return settings;
}

static void* use(void* argument) {
  if (get()->limit / get()->size != 4) exit(1);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int each = 0; each < 2; each++) pthread_create(&threads[each], 0, use, 0);
  for (int each = 0; each < 2; each++) pthread_join(threads[each], 0);
  return 0;
}
