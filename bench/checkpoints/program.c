// Collatz sequences, so many rounds in each of two threads that take turns, over some megabytes of memory.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWords = 1 << 20 };
static unsigned long rounds;
static unsigned words[2][kWords];

static void* work(void* argument) {
  unsigned* mine = words[(long)argument];
  for (unsigned long start = 1; start < rounds * 10000; start++) {
    unsigned steps = 0;
    for (unsigned long number = start; number != 1; steps++) number = number & 1 ? 3 * number + 1 : number / 2;
    mine[start * 7919 % kWords] += steps;
  }
  return mine;
}

int main(int count, char** words_given) {
  rounds = count > 1 ? strtoul(words_given[1], 0, 10) : 1;
  pthread_t threads[2];
  for (long each = 0; each < 2; each++) pthread_create(&threads[each], 0, work, (void*)each);
  unsigned sum = 0;
  for (int each = 0; each < 2; each++) {
    pthread_join(threads[each], 0);
    for (int at = 0; at < kWords; at++) sum += words[each][at];
  }
  printf("%u\n", sum);
  return 0;
}
