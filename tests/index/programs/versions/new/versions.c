// Its versions differ in four places: a condition in a loop, a call that is made or not, a function, a member.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct counts {
  long added;
  int halves;
  int shown;
};
static struct counts counts;
static long started;

static int weight(int value) {
  return value % 3 == 0 ? value * 2 : value;
}

static int sum(const int* values, int count, int limit) {
  int total = 0;
  for (int i = 0; i < count; ++i) {
    if (values[i] <= limit) {  // CONDITION
      total += weight(values[i]);
    }
  }
  return total;
}

static int report(int total, struct counts* all) {
  while (total > 0) {
    printf("%d\n", total);
    total /= 2;
    ++all->shown;
  }
  return all->shown;
}

static void complain(int count) {
  fprintf(stderr, "%d words\n", count);
}

static void* work(void* values) {
  static int total;
  total = sum(values, 8, 5);
  return &total;
}

int main(int argc, char** argv) {
  int values[8];
  if (argc > 2 && argv[2][0] == 'c') started = time(NULL);
  const int limit = argc > 1 ? atoi(argv[1]) : 4;
  for (int i = 0; i < 8; ++i) values[i] = i;
  if (argc > 2) {  // INSERTED
    const int words = argc - 1;
    complain(words);
  }
  const int total = sum(values, 8, limit);
  const int shown = report(100, &counts);
  if (argc > 2 && argv[2][0] == 't') {
    pthread_t thread;
    pthread_create(&thread, NULL, work, values);  // CREATION
    pthread_join(thread, NULL);
  }
  return total + shown > 200;
}
