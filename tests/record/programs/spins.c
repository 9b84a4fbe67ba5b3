// Threads that wait for each other by spinning in code that makes no calls: a spin lock of libc whose holder waits in a
// call, a flag, a chain of tickets, a test-and-set loop, and a pause that doubles up to a limit. Then a thread that waits
// for its own signal handler.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

enum { kThreads = 3, kRounds = 3 };

static pthread_spinlock_t spin_lock;
static atomic_int flag, turn, test_and_set, under_lock;
static char order[64];
static atomic_int ordered;

static void rest(void) {
  struct timespec brief = {0, 2000000};
  nanosleep(&brief, NULL);
}

static void note(int who) {
  order[atomic_fetch_add(&ordered, 1)] = (char)('a' + who);
}

static void* run(void* argument) {
  const int who = (int)(long)argument;
  while (!atomic_load_explicit(&flag, memory_order_acquire)) {
  }
  for (int round = 0; round < kRounds; round++) {
    while (atomic_load(&turn) % kThreads != who) __builtin_ia32_pause();
    note(who);
    atomic_fetch_add(&turn, 1);
  }
  pthread_spin_lock(&spin_lock);
  under_lock++;
  rest();
  pthread_spin_unlock(&spin_lock);
  int pauses = 1;
  while (atomic_exchange(&test_and_set, 1)) {
    for (int each = 0; each < pauses; each++) __builtin_ia32_pause();
    if (pauses < 64) pauses *= 2;
  }
  rest();
  under_lock++;
  atomic_store(&test_and_set, 0);
  return NULL;
}

static volatile sig_atomic_t alarmed;

static void on_alarm(int number) { alarmed = number; }

int main(void) {
  pthread_t threads[kThreads];
  pthread_spin_init(&spin_lock, 0);
  for (long each = 0; each < kThreads; each++) pthread_create(&threads[each], NULL, run, (void*)each);
  rest();
  atomic_store_explicit(&flag, 1, memory_order_release);
  while (atomic_load(&turn) < kThreads * kRounds) {
  }
  for (int each = 0; each < kThreads; each++) pthread_join(threads[each], NULL);
  signal(SIGALRM, on_alarm);
  const struct itimerval soon = {{0, 0}, {0, 5000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  while (!alarmed) {
  }
  printf("%s %d %d\n", order, under_lock, (int)alarmed);
  return 0;
}
