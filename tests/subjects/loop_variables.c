// Loop variables are kept in 64 bits where C says that they do not wrap. What a program sees of them stays as it was:
// unsigned variables wrap and conversions cut.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLength = 64 };
static int numbers[2 * kLength];
static int* middle = numbers + kLength;

static int sum_to(int last) {
  int sum = 0;
  for (int i = 1; i <= last; i++) sum += middle[i - 1] * i;
  return sum;
}

static int negative_indices(int from) {
  int sum = 0;
  for (int i = from; i < kLength; i += 3) sum = sum * 31 + middle[i] - middle[-i / 2];
  return sum;
}

static int matrix(int rows, int columns) {
  int sum = 0;
  for (int row = 0; row < rows; row++) {
    for (int column = columns - 1; column >= 0; --column) sum = sum * 17 + numbers[row * columns + column];
  }
  return sum;
}

static int wraps(unsigned start) {
  int rounds = 0;
  for (unsigned i = start; i != 5; i++) {
    numbers[i & 31] ^= (int)i;
    ++rounds;
  }
  return rounds;
}

static int narrow(int steps) {
  int sum = 0;
  signed char small = 100;
  short medium = SHRT_MAX - 3;
  for (int i = 0; i < steps; i++) {
    small++;
    medium++;
    sum += middle[small / 4] + medium + (unsigned char)i + (int)(unsigned)i;
  }
  return sum;
}

static int through_argument(int n) {
  int sum = 0;
  while (--n >= 0) {
    sum += numbers[n] / (n + 1);
    if (n == 40) n -= abs(numbers[n]) % 7;
  }
  return sum * n;
}

static int mixed(int n, unsigned limit, long far) {
  int matches = 0;
  for (int i = -n; i <= n; i++) {
    if ((unsigned)i < limit) matches += 1;
    if (i == far) matches += 100;
    if ((double)i / 2 > 3.25) matches += 1000;
    if ((i ^ 5) == (i | 5)) matches += 10000;
    if ((unsigned long)i > 1000) matches += 3;
    if ((i << 3) % 24 == 0) matches += 7;
  }
  return matches;
}

int main(void) {
  for (int i = 0; i < 2 * kLength; i++) numbers[i] = (i * 7919 + 13) % 1009 - 300;
  printf("%d %d\n", sum_to(kLength), negative_indices(-kLength));
  printf("%d\n", matrix(8, 16));
  printf("%d\n", wraps(UINT_MAX - 40));
  printf("%d\n", narrow(77));
  printf("%d %d\n", through_argument(100), mixed(20, 7, 3));
  unsigned hash = 0;
  for (int i = 0; i < 2 * kLength; i++) hash = hash * 33 + (unsigned)numbers[i];
  printf("%u\n", hash);
  return 0;
}
