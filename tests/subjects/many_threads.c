// Threads that come and go, each with escaping variables; some at the same time. Their stacks do not meet.
// FLAGS: -pthread
// TICKS: any
// EXPECT: 2000 in turn, 64 at once
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void scribble(int* cells, int count, int value) {
  for (int i = 0; i < count; i++) cells[i] = value;
}

static void* in_turn(void* argument) {
  int cells[256];
  scribble(cells, 256, *(int*)argument);
  return (void*)(long)(cells[255] == *(int*)argument);
}

static void* at_once(void* argument) {
  int cells[1024], own = (int)(long)argument;
  scribble(cells, 1024, own);
  pthread_barrier_wait(&barrier);
  long good = 1;
  for (int i = 0; i < 1024; i++) good &= cells[i] == own;
  pthread_barrier_wait(&barrier);
  return (void*)good;
}

int main(void) {
  long turns = 0, together = 0;
  for (int i = 0; i < 2000; i++) {
    pthread_t thread;
    void* good;
    if (pthread_create(&thread, 0, in_turn, &i)) abort();
    pthread_join(thread, &good);
    turns += (long)good;
  }
  pthread_t threads[64];
  pthread_barrier_init(&barrier, 0, 64);
  for (long i = 0; i < 64; i++) pthread_create(&threads[i], 0, at_once, (void*)i);
  for (int i = 0; i < 64; i++) {
    void* good;
    pthread_join(threads[i], &good);
    together += (long)good;
  }
  printf("%ld in turn, %ld at once\n", turns, together);
  return 0;
}
