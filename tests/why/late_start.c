// The width is set by a thread, and used by another one without waiting for it: "[=====]" is expected.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int width, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* show_progress(void* unused) {
  width = 5;
  return unused;
}

static void* work(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    ++items;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void show_bar(int columns) {
  if (columns == 0) return;
  putchar('[');
  for (int i = 0; i < columns; ++i) putchar('=');
  puts("]");
}

int main(void) {
  pthread_t progress, worker;
  pthread_create(&progress, NULL, show_progress, NULL);
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  for (volatile int turns = 0; turns < 4000000; ++turns) continue;
  show_bar(width);
  printf("%d items\n", items);
  return 0;
}
