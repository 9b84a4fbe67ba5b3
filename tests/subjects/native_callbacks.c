// Functions that native code calls: atexit, signal handlers, thread starts, thread-specific destructors, tsearch.
// FLAGS: -pthread
// EXPECT: signal 1
// EXPECT: thread 1 2 3 sum 60
// EXPECT: destroyed 3
// EXPECT: tree 1 2 5 8
// EXPECT: second exit function
// EXPECT: first exit function
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t signals;
static int destroyed;
static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int number) { signals += number == SIGUSR1; }

static void on_exit_first(void) { puts("first exit function"); }
static void on_exit_second(void) { puts("second exit function"); }

static void destroy(void* value) {
  pthread_mutex_lock(&mutex);
  destroyed += value != NULL;
  pthread_mutex_unlock(&mutex);
}

static void* run(void* argument) {
  pthread_setspecific(key, argument);
  int sum = 0;
  for (int i = 0; i < *(int*)argument; i++) sum += 10;
  return (void*)(long)sum;
}

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void visit(const void* node, VISIT order, int depth) {
  (void)depth;
  if (order == postorder || order == leaf) printf(" %d", **(int**)node);
}

int main(void) {
  atexit(on_exit_first);
  atexit(on_exit_second);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  printf("signal %d\n", (int)signals);
  pthread_key_create(&key, destroy);
  pthread_t threads[3];
  int numbers[3] = {1, 2, 3};
  long sum = 0;
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, run, &numbers[i]);
  for (int i = 0; i < 3; i++) {
    void* result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  printf("thread 1 2 3 sum %ld\ndestroyed %d\n", sum, destroyed);
  int values[] = {5, 2, 8, 1};
  void* root = NULL;
  for (int i = 0; i < 4; i++) tsearch(&values[i], &root, compare);
  printf("tree");
  twalk(root, visit);
  puts("");
  return 0;
}
