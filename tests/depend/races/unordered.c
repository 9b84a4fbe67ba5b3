// Nothing orders what threads do with the same memory at the lines that say so.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static int width, counter, late;
static char name[16];
static struct {
  int* numbers;
} shared;

static void* work(void* unused) {
  width = 80;  // races
  pthread_mutex_lock(&other_lock);
  ++counter;  // races
  pthread_mutex_unlock(&other_lock);
  strcpy(name, "worker");  // races
  shared.numbers[1] = 5;  // races
  late = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  shared.numbers = calloc(4, sizeof(int));
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&lock);
  ++counter;  // races
  pthread_mutex_unlock(&lock);
  const int columns = width;  // races
  const size_t length = strlen(name);  // races
  const int number = shared.numbers[1];  // races
  pthread_join(thread, NULL);
  printf("%d %d %d %d %d\n", columns, counter, (int)length, number, late);
  return 0;
}
