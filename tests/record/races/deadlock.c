// Deadlock: two locks, taken in opposite order.
#include <pthread.h>

static pthread_mutex_t accounts = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER;
static int balance, entries;

static void* book(void* argument) {
  pthread_mutex_lock(&journal);
  pthread_mutex_lock(&accounts);
  entries += balance;
  pthread_mutex_unlock(&accounts);
  pthread_mutex_unlock(&journal);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, book, 0);
  pthread_mutex_lock(&accounts);
  pthread_mutex_lock(&journal);
  balance += 1;
  pthread_mutex_unlock(&journal);
  pthread_mutex_unlock(&accounts);
  pthread_join(thread, 0);
  return 0;
}
