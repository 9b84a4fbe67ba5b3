// Four threads take turns by a mutex and a condition variable; the order in which they wake is in the output.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn, total;
static unsigned order;

static void* work(void* argument) {
  const long id = (long)argument;
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    while (turn % 4 != id) pthread_cond_wait(&turned, &mutex);
    turn++;
    total += (int)id;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&mutex);
    order = order * 31 + (unsigned)id;  // unprotected on purpose
    if (i % 25 == 0) usleep(1000);
  }
  return (void*)(id * 10);
}

int main(void) {
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void*)i);
  long sum = 0;
  for (int i = 0; i < 4; i++) {
    void* result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  printf("%d %ld %u\n", total, sum, order);
  return 0;
}
