// What va_arg reads is made by that argument's expression, whatever its kind and number, also through copies of the list.
#include <stdarg.h>
#include <stdlib.h>
struct pair { long n; double x; };
struct large { long n[4]; };
static long integer(int skip, ...) {
  va_list list;
  va_start(list, skip);
  while (skip-- > 0) (void)va_arg(list, long);
  long value = va_arg(list, long);
  return value;
}
static double number(int skip, ...) {
  va_list list;
  va_start(list, skip);
  while (skip-- > 0) (void)va_arg(list, double);
  double value = va_arg(list, double);
  return value;
}
static long next(va_list list) { return va_arg(list, long); }
static long mixed(double named, const char *kinds, ...) {
  va_list list, copy;
  va_start(list, kinds);
  va_copy(copy, list);
  long total = 0;
  for (; *kinds != 'e'; ++kinds) {
    if (*kinds == 'l') total = va_arg(list, long);
    if (*kinds == 'd') total = (long)va_arg(list, double);
    if (*kinds == 'D') total = (long)va_arg(list, long double);
    if (*kinds == 'p') total = *va_arg(list, long *);
    if (*kinds == 's') total = va_arg(list, struct pair).n;
    if (*kinds == 'x') total = (long)va_arg(list, struct pair).x;
    if (*kinds == 'L') total = va_arg(list, struct large).n[2];
    if (*kinds == 'n') total = next(list);
    if (*kinds == 'c') total = va_arg(copy, long);
  }
  return total;
}
static long make(const char *text) { return atol(text); }
int main(void) {
  long a = make("1");
  long b = make("2");
  long c = make("3");
  long in_register = integer(1, a, b, c);
  long on_stack = integer(6, a, a, a, a, a, a, b, a, a);
  double x = (double)make("4");
  double y = (double)make("5");
  double in_vector = number(1, x, y, x);
  double behind_vectors = number(8, x, x, x, x, x, x, x, x, y, x);
  long (*volatile pointer)(int, ...) = integer;
  long by_pointer = pointer(0, c, a);
  struct pair pair;
  pair.n = make("6");
  pair.x = (double)make("7");
  struct large large;
  large.n[0] = make("8");
  large.n[2] = make("9");
  long double wide = (long double)make("10");
  long first = mixed(x, "lsxe", a, pair, pair);
  long second = mixed(x, "lse", a, pair);
  long in_memory = mixed(x, "lLe", a, large);
  long quad = mixed(y, "lLDe", a, large, wide);
  long behind = mixed(y, "lDLle", a, wide, large, b);
  long pointed = mixed(y, "pe", &c);
  long passed_on = mixed(y, "lne", a, c);
  long copied = mixed(y, "lce", b, c);
  long unrelated = make("11");
  long constant = integer(2, a, a, 12L);
  volatile long sink = in_register + on_stack + (long)in_vector + (long)behind_vectors + by_pointer;
  return sink + first + second + in_memory + quad + behind + pointed + passed_on + copied + unrelated + constant == 0;
}
// chain: --at 69 --var in_register => 69 44 11 10 44 42 39
// chain: --at 69 --var on_stack => 69 45 11 10 45 42 39
// chain: --at 69 --var in_vector => 69 48 18 17 48 47 39
// chain: --at 69 --var behind_vectors => 69 49 18 17 49 47 39
// chain: --at 69 --var by_pointer => 69 51 11 10 51 43 39
// chain: --at 70 --var first => 70 59 37 32 59 54 39
// chain: --at 70 --var second => 70 60 37 31 60 53 39
// chain: --at 70 --var in_memory => 70 61 37 33 57 39
// chain: --at 70 --var quad => 70 62 37 29 62 58 39
// chain: --at 70 --var behind => 70 63 37 27 63 42 39
// chain: --at 70 --var pointed => 70 64 37 30 43 39
// chain: --at 70 --var passed_on => 70 65 37 34 20 65 43 39
// chain: --at 70 --var copied => 70 66 37 35 66 42 39
// chain: --at 70 --var constant => 70 68 11 10 68
// slice: --at 69 --var in_register --no-control --no-address => 10 11 39 42 44 69
// slice: --at 70 --var in_memory --no-control --no-address => 33 37 39 57 61 70
// slice: --at 70 --var behind --no-control --no-address => 27 37 39 42 63 70
