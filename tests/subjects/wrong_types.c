// A loop writes its own bound through a pointer to another type, after which C says nothing; all bodies do the same.
// COMPARE: bodies
// LEVELS: -O2
#include <stdio.h>

struct counter {
  int limit;
  int* numbers;
};

static int changes_bound(struct counter* counter, float* other) {
  int turns = 0;
  for (int i = 0; i < counter->limit; i++) {
    if (i == 2) *other = 0;
    turns++;
  }
  return turns;
}

static int changes_pointer(struct counter* counter, long* other, long value) {
  int sum = 0;
  for (int i = 0; i < counter->limit; i++) {
    sum += counter->numbers[i];
    if (i == 1) *other = value;
  }
  return sum;
}

int main(void) {
  int numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
  int others[] = {10, 20, 30, 40, 50, 60, 70, 80};
  struct counter counter = {8, numbers};
  printf("%d\n", changes_bound(&counter, (float*)&counter.limit));
  counter.limit = 8;
  printf("%d\n", changes_pointer(&counter, (long*)&counter.numbers, (long)others));
  return 0;
}
