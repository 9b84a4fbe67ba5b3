// For capture: a thread that waits by spinning, threads that race without calls, a handler that must be reached
// although no call is made.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int flag;
static volatile unsigned long waits;
static volatile unsigned shared;
static volatile sig_atomic_t alarms;
static unsigned long in_handler;

static void on_alarm(int number) {
  alarms++;
  for (int i = 0; i < 1000; i++) in_handler = in_handler * 31 + (unsigned long)(i + number);
}

static void* spin(void* argument) {
  while (!flag) waits++;
  return argument;
}

static void* race(void* argument) {
  for (unsigned seed = 1; seed != 0; seed = seed < 3000000 ? seed + 1 : 0) {
    const unsigned before = shared;
    shared = before * 3 + (unsigned)(long)argument;
  }
  return 0;
}

int main(void) {
  pthread_t threads[3];
  signal(SIGALRM, on_alarm);
  const struct itimerval every = {{0, 3000}, {0, 3000}};
  setitimer(ITIMER_REAL, &every, 0);
  pthread_create(&threads[0], 0, spin, 0);
  pthread_create(&threads[1], 0, race, (void*)1);
  pthread_create(&threads[2], 0, race, (void*)2);
  while (waits < 1000) {
  }
  flag = 1;
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  while (alarms < 5) {
  }
  printf("waits %lu shared %u alarms %d handled %lu\n", waits, shared, (int)alarms, in_handler);
  return 0;
}
