// Nothing here depends on what was never written: no line must be told.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct padded {
  char tag;
  int number;
  double weight;
};

struct flags {
  unsigned kind : 3;
  unsigned open : 1;
  unsigned depth : 12;
};

union number {
  double real;
  long whole;
  char bytes[8];
};

struct pair {
  int first, second;
};

static struct padded make(char tag) {
  struct padded result;
  result.tag = tag;
  result.weight = 2;
  return result;
}

static struct pair half(int value) {
  struct pair result;
  result.first = value;
  return result;
}

static int use(struct pair by_value) {
  return by_value.first;
}

static int sum(int count, ...) {
  va_list arguments;
  va_start(arguments, count);
  int total = 0;
  for (int i = 0; i < count; ++i) total += va_arg(arguments, int);
  va_end(arguments);
  return total;
}

static int find(const int* numbers, int count, int wanted, int* at) {
  for (int i = 0; i < count; ++i) {
    if (numbers[i] == wanted) {
      *at = i;
      return 1;
    }
  }
  return 0;
}

static int compare(const void* one, const void* other) {
  return *(const int*)one - *(const int*)other;
}

static int ignored_result(int way) {
  int result;
  if (way > 10) result = 3;
  return result;
}

static void dirty(void) {
  volatile unsigned char buffer[512];
  for (unsigned i = 0; i < sizeof buffer; ++i) buffer[i] = (unsigned char)i;
}

int main(int argc, char** argv) {
  dirty();
  struct padded whole = make('a');
  struct padded copy = whole;
  struct padded array[2];
  array[0] = copy;
  memcpy(&array[1], &array[0], sizeof array[0]);
  int checks = array[1].tag == 'a' && array[1].weight == 2.0;

  struct flags bits;
  bits.kind = 5;
  bits.open = 1;
  bits.depth = 77;
  checks += bits.kind == 5 && bits.open && bits.depth == 77;

  union number either;
  either.bytes[0] = 1;
  either.bytes[1] = 2;
  union number other = either;
  checks += other.bytes[1] == 2;
  either.whole = 3;
  checks += either.real < 1.0;

  checks += use(half(1)) + sum(3, argc, 1, 1);

  int numbers[4] = {4, 3, 2, 1}, at;
  if (find(numbers, 4, 2, &at)) checks += at;
  qsort(numbers, 4, sizeof numbers[0], compare);
  checks += numbers[0];
  ignored_result(argc);

  struct stat status;
  if (stat(argv[0], &status) == 0) checks += status.st_size > 0;
  time_t now;
  time(&now);
  struct tm broken_down;
  localtime_r(&now, &broken_down);
  checks += broken_down.tm_year > 0;
  char text[32];
  snprintf(text, sizeof text, "%d", checks);
  checks += (int)strlen(text);
  int read_back;
  if (sscanf(text, "%d", &read_back) == 1) checks += read_back;
  char* end;
  checks += (int)strtol(text, &end, 10) + *end;
  for (int i = 0; i < 3; ++i) {
    int before;
    if (i > 0) checks += before;
    before = i;
  }
  printf("%d\n", checks);
  return 0;
}
