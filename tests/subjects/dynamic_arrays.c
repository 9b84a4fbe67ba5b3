// Variable-length arrays and alloca in loops, with exits by goto, break and return; each iteration's memory is given back.
// EXPECT: vla 1666665000 same place 1
// EXPECT: alloca 4950 distinct 1
// EXPECT: early 45
// EXPECT: aligned 0 matrix 285
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static long sum_of(int n, const long* values) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += values[i];
  return sum;
}

static void vla_in_loop(void) {
  long total = 0;
  uintptr_t top = 0;
  int same = 1;
  for (int n = 1; n <= 1000; n++) {
    long values[n * 10];
    for (int i = 0; i < n * 10; i++) values[i] = i % n;
    total += sum_of(n * 10, values);
    uintptr_t end = (uintptr_t)(values + n * 10);
    if (n % 2 == 0) {
      if (top && top - end > 16 && end - top > 16) same = 0;
      top = end;
    }
  }
  printf("vla %ld same place %d\n", total, same);
}

static void alloca_in_loop(void) {
  int* cells[100];
  for (int i = 0; i < 100; i++) {
    cells[i] = alloca(sizeof(int) * (i + 1));
    memset(cells[i], 0, sizeof(int) * (i + 1));
    cells[i][i] = i;
  }
  int sum = 0, distinct = 1;
  for (int i = 0; i < 100; i++) {
    sum += cells[i][i];
    if (i && cells[i] == cells[i - 1]) distinct = 0;
  }
  printf("alloca %d distinct %d\n", sum, distinct);
}

static long early_exit(int limit) {
  for (int n = 1;; n++) {
    long values[n];
    for (int i = 0; i < n; i++) values[i] = i;
    if (n == limit) return sum_of(n, values);
    if (n % 3 == 0) continue;
    {
      long more[n + 5];
      memset(more, 0, sizeof more);
      if (sum_of(n + 5, more)) goto out;
    }
  }
out:
  return -1;
}

static int matrix(int n, int cells[n][n]) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += cells[i][i];
  return sum;
}

int main(void) {
  vla_in_loop();
  alloca_in_loop();
  printf("early %ld\n", early_exit(10));
  int n = 10;
  _Alignas(64) char wide[n * 64];
  int cells[n][n];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) cells[i][j] = i * j;
  }
  wide[0] = 0;
  printf("aligned %d matrix %d\n", (int)((uintptr_t)wide % 64) + wide[0], matrix(n, cells));
  return 0;
}
