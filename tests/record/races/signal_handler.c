// Signal handler: it sees a list between the two steps in which an element is put in front.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct Item {
  struct Item* next;
  int weight;
};

static struct Item items[3] = {{0, 1}, {0, 1}, {0, 1}};
static struct Item* volatile first;
static volatile int count;

static void check(int number) {
  int weight = 0;
  (void)number;
  for (struct Item* each = first; each; each = each->next) weight += each->weight;
  if (weight != count) _exit(1);
}

static void* disturb(void* target) {
  pthread_kill(*(pthread_t*)target, SIGUSR1);
  return 0;
}

int main(void) {
  pthread_t self = pthread_self(), thread;
  signal(SIGUSR1, check);
  pthread_create(&thread, 0, disturb, &self);
  for (int each = 0; each < 3; each++) {
    items[each].next = first;
    first = &items[each];
    count++;
  }
  pthread_join(thread, 0);
  return 0;
}
