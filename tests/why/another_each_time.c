// No two runs go the same way: how often the loops turn depends on addresses, time, process id and chance. But each
// fails for the same reason.
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int stir(uint64_t seed) {
  int odd = 0;
  for (; seed != 0; seed >>= 1) {
    if (seed & 1) ++odd;
  }
  return odd;
}

static const int* lookup(const int* table, int key) {
  if (key > 3) return NULL;
  return table + key;
}

int main(void) {
  uint64_t chance = 0;
  if (getrandom(&chance, sizeof chance, 0) != sizeof chance) return 1;
  signal(SIGPIPE, SIG_IGN);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct timeval day;
  gettimeofday(&day, NULL);
  void* block = malloc(100);
  const int odd = stir(chance) + stir((uint64_t)(now.tv_nsec + day.tv_usec + time(NULL))) + stir((uint64_t)getpid()) +
                  stir((uintptr_t)block >> 12);
  const int table[4] = {0};
  const int* found = lookup(table, odd > 0 ? 4 : 3);
  free(block);
  return *found;
}
