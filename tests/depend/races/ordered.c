// Threads share memory here, and something orders all that they do with it: no line must be told.
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t filled;
static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_changed = PTHREAD_COND_INITIALIZER;
static int waits, work;

static int counter, queued, table[4], started, halves[2], from_barrier[2];
static char letters[8];
static char* message;
static atomic_int ready;
static int published;

static void start(void) {
  started = 1;
}

static void* count(void* which) {
  const long own = (long)which;
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  pthread_once(&once, start);
  halves[own] = started;
  // Neighbours in one word.
  for (int i = 0; i < 4; ++i) letters[own * 4 + i] = (char)('a' + i);
  pthread_rwlock_rdlock(&shelf);
  const int seen = table[1];
  pthread_rwlock_unlock(&shelf);
  pthread_rwlock_wrlock(&shelf);
  table[own] += seen;
  pthread_rwlock_unlock(&shelf);
  from_barrier[own] = (int)own;
  pthread_barrier_wait(&barrier);
  const int other = from_barrier[1 - own];
  pthread_barrier_wait(&barrier);
  from_barrier[own] = other;
  // Another thread's block may be this one's next.
  char* block = malloc(40);
  memset(block, 'x', 40);
  free(block);
  return NULL;
}

static void* consume(void* unused) {
  pthread_mutex_lock(&lock);
  while (queued == 0) pthread_cond_wait(&changed, &lock);
  --queued;
  pthread_mutex_unlock(&lock);
  sem_wait(&filled);
  puts(message);
  while (atomic_load_explicit(&ready, memory_order_acquire) == 0) continue;
  published = published * 2;
  return unused;
}

static void* leave(void* unused) {
  volatile int on_the_stack[64];
  for (int i = 0; i < 64; ++i) on_the_stack[i] = i;
  pthread_mutex_lock(&lock);
  ++queued;
  pthread_mutex_unlock(&lock);
  return unused;
}

/// The wait is never over: what it released is not known by what it came back with.
static void* wait_for_work(void* unused) {
  pthread_mutex_lock(&work_lock);
  waits = 1;
  while (work != -1) pthread_cond_wait(&work_changed, &work_lock);
  pthread_mutex_unlock(&work_lock);
  return unused;
}

static void give_work(void) {
  pthread_t waiting;
  pthread_create(&waiting, NULL, wait_for_work, NULL);
  for (int given = 0; !given;) {
    pthread_mutex_lock(&work_lock);
    if (waits) work = given = 1;
    pthread_mutex_unlock(&work_lock);
    sched_yield();
  }
}

int main(void) {
  pthread_t one, other, consumer;
  table[1] = 3;
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&filled, 0, 0);
  pthread_create(&one, NULL, count, (void*)0);
  pthread_create(&other, NULL, count, (void*)1);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_mutex_lock(&lock);
  ++queued;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  message = strdup("filled");
  sem_post(&filled);
  published = 21;
  atomic_store_explicit(&ready, 1, memory_order_release);
  pthread_join(consumer, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  printf("%d %d %d %d %s\n", counter, halves[0] + halves[1], published, from_barrier[0], letters);
  // The stack of a thread that has ended is that of the next one.
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_detach(thread);
    while (1) {
      pthread_mutex_lock(&lock);
      const int all = queued;
      pthread_mutex_unlock(&lock);
      if (all > i) break;
    }
  }
  give_work();
  return 0;
}
