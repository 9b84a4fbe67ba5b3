// Loops without calls that only another thread or a signal ends; irreducible loops; loops with several latches.
// FLAGS: -pthread
// TICKS: any
// EXPECT: flag seen
// EXPECT: alarm seen
// EXPECT: irreducible 10
// EXPECT: latches 76
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int flag;
static volatile sig_atomic_t alarmed;

static void* raise_flag(void* unused) {
  usleep(1000);
  atomic_store(&flag, 1);
  return unused;
}

static void on_alarm(int unused) { alarmed = unused; }

__attribute__((noinline)) static int irreducible(int n, int enter_middle) {
  int steps = 0;
  if (enter_middle) goto middle;
top:
  steps++;
  if (n <= 0) return steps;
middle:
  n -= 2;
  steps++;
  if (n > -100) goto top;
  return -1;
}

__attribute__((noinline)) static int latches(int n) {
  int sum = 0;
  while (n > 0) {
    n--;
    if (n % 3 == 0) continue;
    if (n % 5 == 0) continue;
    sum += n;
  }
  return sum;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, raise_flag, NULL);
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
  }
  puts("flag seen");
  pthread_join(thread, NULL);
  signal(SIGALRM, on_alarm);
  ualarm(1000, 0);
  while (!alarmed) {
  }
  puts("alarm seen");
  printf("irreducible %d\n", irreducible(10, 1));
  printf("latches %d\n", latches(17));
  return 0;
}
