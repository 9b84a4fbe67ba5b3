// Use after join: what a worker owned is given up once it was joined, though the watcher may still be looking at it.
#include <pthread.h>
#include <stdlib.h>

struct Progress {
  int done;
  int total;
};

static struct Progress* progress;
static volatile int running = 1;
static int wrong;

static void* work(void* argument) {
  progress->done = 5;
  return argument;
}

static void* watch(void* argument) {
  if (running) wrong = progress->total != 5;
  return argument;
}

int main(void) {
  pthread_t worker, watcher;
  progress = malloc(sizeof *progress);
  progress->total = 5;
  pthread_create(&watcher, 0, watch, 0);
  pthread_create(&worker, 0, work, 0);
  pthread_join(worker, 0);
  running = 0;
  progress->total = -1;
  pthread_join(watcher, 0);
  free(progress);
  return wrong;
}
