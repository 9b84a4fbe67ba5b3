// Two threads count together, and lose some: 2000 is expected.
#include <pthread.h>
#include <stdlib.h>

static volatile int counter;

static int slowly(int number) {
  volatile int turns = 0;
  while (turns < 50) ++turns;
  return number;
}

static void* count(void* unused) {
  for (int i = 0; i < 1000; ++i) {
    const int seen = counter;
    counter = slowly(seen) + 1;
  }
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, count, NULL);
  pthread_create(&other, NULL, count, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  if (counter != 2000) abort();
  return 0;
}
