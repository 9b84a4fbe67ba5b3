// Threads that are the same by where they were created, whatever their numbers: workers FIRST ODD, with FIRST a thread
// runs before the workers; worker 1 adds ODD.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int odd, sums[3];

static void *prepare(void *unused) {
  for (int i = 0; i < 3; ++i) sums[i] = 1;
  return unused;
}

static void *work(void *argument) {
  int *sum = argument;
  for (int i = 0; i < 10; ++i) {
    if (sum == &sums[1] && i == 5)
      *sum += odd;
    else
      *sum += i;
  }
  return 0;
}

int main(int argc, char **argv) {
  pthread_t first, workers[3];
  if (argc < 3) return 2;
  odd = atoi(argv[2]);
  if (atoi(argv[1])) {
    pthread_create(&first, 0, prepare, 0);
    pthread_join(first, 0);
  }
  for (int i = 0; i < 3; ++i) pthread_create(&workers[i], 0, work, &sums[i]);
  for (int i = 0; i < 3; ++i) pthread_join(workers[i], 0);
  printf("%d %d %d\n", sums[0], sums[1], sums[2]);
}
