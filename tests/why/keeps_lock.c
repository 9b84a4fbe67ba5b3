// A number that is refused leaves the function with its lock held. With an argument "worker" the main thread waits for
// the lock of one that has ended, else a thread for its own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total, refused;

static int add(int number) {
  pthread_mutex_lock(&lock);  // takes
  if (number < 0) {           // goes past
    ++refused;
    return -1;
  }
  total += number;
  pthread_mutex_unlock(&lock);
  return 0;
}

static void* work(void* numbers) {
  for (char** at = numbers; *at; ++at) add(atoi(*at));
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "worker") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, argv + 2);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);  // last
  } else {
    work(argv + 1);
  }
  printf("%ld %ld\n", total, refused);
  return 0;
}
