// Missed signal: the flag is tested without the lock, so that the signal may come between the test and the wait.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_ready = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void* produce(void* argument) {
  ready = 1;
  pthread_cond_signal(&is_ready);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, produce, 0);
  if (!ready) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&is_ready, &lock);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, 0);
  return 0;
}
