// For capture: an order violation. The value is used before the thread that makes it has run, if main is quick or that
// thread is slow; run natively it is practically always made in time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int* volatile made;
static volatile unsigned work;

static void* make(void* argument) {
  int* value = malloc(sizeof *value);
  *value = 7;
  made = value;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, make, 0);
  for (unsigned left = 3000000; left != 0; left = left % 2 ? left - 1 : left / 2 * 2 - 1) work++;
  printf("%d\n", *made);
  pthread_join(thread, 0);
  return 0;
}
