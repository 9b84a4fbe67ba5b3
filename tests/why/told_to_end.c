// A watcher waits until it is told to end the program. The main thread tells it when a number is too large, by a limit
// that is wrong.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int is_done, gives_up;

static void* watch(void* nothing) {
  pthread_mutex_lock(&lock);
  while (!is_done && !gives_up) pthread_cond_wait(&change, &lock);
  pthread_mutex_unlock(&lock);
  if (is_done) return nothing;
  fprintf(stderr, "told_to_end: giving up\n");
  exit(1);
}

static void tell(int* flag) {
  pthread_mutex_lock(&lock);
  *flag = 1;
  pthread_cond_signal(&change);
  pthread_mutex_unlock(&lock);
}

static int limit_of(int kind) {
  return kind == 2 ? 10 : 100;
}

int main(int argc, char** argv) {
  pthread_t watcher;
  pthread_create(&watcher, NULL, watch, NULL);
  int sum = 0;
  for (int i = 1; i < argc; ++i) {
    const int number = atoi(argv[i]);
    if (number > limit_of(i)) {
      tell(&gives_up);
      break;
    }
    sum += number;
  }
  if (!gives_up) tell(&is_done);
  pthread_join(watcher, NULL);
  printf("%d\n", sum);
  return 0;
}
