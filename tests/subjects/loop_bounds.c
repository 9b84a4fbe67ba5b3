// What a loop cannot change it reads once, in all bodies; and what it may change it reads again.
// TICKS: per-level
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
  int size;
  long* elements;
  struct vector* next;
};

struct matrix {
  unsigned rows;
  unsigned columns;
  double* cells;
};

static int limit = 10;
static long total;

static void scale(struct vector* vector, long factor) {
  for (int i = 0; i < vector->size; i++) {
    if (vector->elements[i] & 1) vector->elements[i] *= factor;
  }
}

static double fill(struct matrix* matrix) {
  double sum = 0;
  for (unsigned row = 0; row < matrix->rows; row++) {
    for (unsigned column = 0; column < matrix->columns; column++) {
      matrix->cells[row * matrix->columns + column] = row * 0.5 + column;
      sum += matrix->cells[row * matrix->columns + column / 2];
    }
  }
  return sum;
}

// The elements hold the size.
static int shrinks(int* numbers, int* size) {
  int turns = 0;
  for (int i = 0; i < *size; i++) {
    numbers[i] /= 2;
    turns++;
  }
  return turns;
}

static long lists(const struct vector* vector) {
  long sum = 0;
  for (; vector; vector = vector->next) {
    int i = 0;
    while (i < vector->size && vector->elements[i] != 99) sum = sum * 3 + vector->elements[i++];
  }
  return sum;
}

static void count_to_limit(long* counts) {
  for (int i = 0; i < limit; i++) counts[i & 3] += limit;
}

static void call_changes_limit(int steps) {
  for (int i = 0; i < limit; i++) {
    if (steps-- > 0) limit += abs(-1);
    total += i;
  }
}

static int bytes_alias(struct vector* vector) {
  int turns = 0;
  unsigned char* byte = (unsigned char*)&vector->size;
  for (int i = 0; i < vector->size; i++) {
    if (i == 3) byte[0] = 5;
    turns++;
  }
  return turns;
}

static long leaves_before_reading(struct vector* vector, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += vector->elements[i];
  do {
    if (count == 0) break;
    sum += vector->elements[0];
  } while (--count > 0);
  return sum;
}

static unsigned hash_text(const char** cursor, unsigned* state) {
  unsigned turns = 0;
  for (; **cursor; ++*cursor) {
    *state = *state * 31 + (unsigned char)**cursor;
    turns++;
  }
  return turns;
}

static int switches(struct vector* vector, int mode) {
  int sum = 0;
  for (int i = 0; i < vector->size; i++) {
    switch (mode) {
      case 1:
        vector->elements[i] += vector->size;
        break;
      case 2:
        sum += (int)vector->elements[i];
        continue;
      default:
        if (vector->elements[i] > 40) return sum;
    }
    sum += vector->size;
  }
  return sum;
}

int main(void) {
  long elements[16], more[] = {4, 5, 99, 7};
  double cells[6 * 5];
  int numbers[] = {8, 9, 7, 4, 12, 3};
  long counts[4] = {0};
  struct vector second = {4, more, NULL}, first = {16, elements, &second};
  struct matrix matrix = {6, 5, cells};
  for (int i = 0; i < 16; i++) elements[i] = i * 5;
  scale(&first, 3);
  printf("%ld %ld %.2f\n", elements[1], elements[15], fill(&matrix));
  printf("%d %d\n", shrinks(numbers, &numbers[4]), shrinks(numbers, &numbers[1]));
  printf("%ld\n", lists(&first));
  count_to_limit(counts);
  call_changes_limit(4);
  printf("%ld %ld %d\n", counts[0] + counts[3], total, limit);
  printf("%ld\n", leaves_before_reading(NULL, 0) + leaves_before_reading(&second, 3));
  const char* text = "loops";
  unsigned state = 7;
  const unsigned turns = hash_text(&text, &state);
  printf("%u %u\n", turns, state);
  printf("%d %d %d\n", switches(&second, 1), switches(&second, 2), switches(&second, 3));
  printf("%d\n", bytes_alias(&first));
  return 0;
}
