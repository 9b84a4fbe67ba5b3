// Two transfers in opposite directions take the same two locks, each in its own order.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct account {
  pthread_mutex_t lock;
  long money;
};

static struct account mine = {PTHREAD_MUTEX_INITIALIZER, 100}, yours = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account* from, struct account* to, long money) {
  pthread_mutex_lock(&from->lock);
  usleep(20000);
  pthread_mutex_lock(&to->lock);
  from->money -= money;
  to->money += money;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}

static void* back(void* nothing) {
  transfer(&yours, &mine, 5);  // back
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, back, NULL);
  transfer(&mine, &yours, 7);  // forth
  pthread_join(thread, NULL);
  printf("%ld %ld\n", mine.money, yours.money);
  return 0;
}
