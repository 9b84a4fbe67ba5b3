// Variadic functions called directly and through pointers, with doubles, long doubles and structures; va_copy.
// EXPECT: 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5 | 45.5
// EXPECT: struct 1 2.5 3 big 6
// EXPECT: mixed 1 2.250000 three 4.500000 5
// EXPECT: twice 12
#include <stdarg.h>
#include <stdio.h>

struct pair { long a; double b; };
struct big { int n[6]; };

static double sum(int count, ...) {
  va_list list;
  va_start(list, count);
  double total = 0;
  for (int i = 0; i < count; i++) {
    double x = va_arg(list, double);
    printf("%g ", x);
    total += x;
  }
  va_end(list);
  return total;
}

static void structures(const char* name, ...) {
  va_list list;
  va_start(list, name);
  struct pair pair = va_arg(list, struct pair);
  int between = va_arg(list, int);
  struct big big = va_arg(list, struct big);
  va_end(list);
  printf("%s %ld %g %d big %d\n", name, pair.a, pair.b, between, big.n[5]);
}

static void print(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

static int twice(int count, ...) {
  va_list list, copy;
  va_start(list, count);
  va_copy(copy, list);
  int total = 0;
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  for (int i = 0; i < count; i++) total += va_arg(copy, int);
  va_end(copy);
  va_end(list);
  return total;
}

int main(void) {
  double (*volatile p)(int, ...) = sum;
  double total = p(9, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5);
  printf("| %g\n", total - 4);
  void (*volatile q)(const char*, ...) = structures;
  q("struct", (struct pair){1, 2.5}, 3, (struct big){{1, 2, 3, 4, 5, 6}});
  void (*volatile r)(const char*, ...) = print;
  r("mixed %d %f %s %Lf %d\n", 1, 2.25, "three", 4.5L, 5);
  printf("twice %d\n", twice(3, 1, 2, 3));
  return 0;
}
