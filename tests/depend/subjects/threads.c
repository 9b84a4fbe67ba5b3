// ED fig. 5.4: the region of lines 25 to 27 is meant to be atomic; the other thread changes x in between.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static int x, y, z;
static sem_t first, second;
static void *T1(void *unused) {
  x = 5;
  z = x;
  int m = y;
  sem_post(&first);
  sem_wait(&second);
  z = z + m;
  x = z + 1;
  sem_post(&first);
  return unused;
}
static int observed;
static void *T2(void *unused) {
  y = 2;
  int j = y + 1;
  j = z + y;
  sem_wait(&first);
  int k = y;
  y = j + 1;
  sem_post(&second);
  sem_wait(&first);
  k = k + x;
  observed = k;
  return unused;
}
int main(void) {
  pthread_t one, two;
  sem_init(&first, 0, 0);
  sem_init(&second, 0, 0);
  pthread_create(&two, 0, T2, 0);
  pthread_create(&one, 0, T1, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// slice: --at 29 --var observed --no-control => 8 9 10 13 14 20 24 28 29
