// Structures returned in memory and passed by value in memory, complex numbers, wide integers and vectors, all through
// pointers and so through thunks.
// FLAGS: -mavx2
// EXPECT: 3 1 2 argument kept 1
// EXPECT: 4 -2 complex
// EXPECT: wide 18446744073709551616 + 5
// EXPECT: vector 1.5 3 4.5 6
// EXPECT: many 120
#include <complex.h>
#include <stdio.h>

struct large { long n[10]; };
typedef double vector4 __attribute__((vector_size(32)));

static struct large rotate(struct large x) {
  long last = x.n[2];
  x.n[2] = x.n[1], x.n[1] = x.n[0], x.n[0] = last;
  return x;
}
static double complex turn(double complex z) { return z * I; }
static __int128 wide(__int128 x) { return (x << 60) + 5; }
static vector4 scale(vector4 v, double by) { return v * by; }
static int many(int a, int b, int c, int d, int e, int f, struct large g, int h, double i, int j) {
  return a + b + c + d + e + f + (int)g.n[9] + h + (int)i + j;
}

struct large (*volatile rotate_pointer)(struct large) = rotate;
double complex (*volatile turn_pointer)(double complex) = turn;
__int128 (*volatile wide_pointer)(__int128) = wide;
vector4 (*volatile scale_pointer)(vector4, double) = scale;
int (*volatile many_pointer)(int, int, int, int, int, int, struct large, int, double, int) = many;

int main(void) {
  struct large x = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 75}};
  struct large y = rotate_pointer(x);
  printf("%ld %ld %ld argument kept %ld\n", y.n[0], y.n[1], y.n[2], x.n[0]);
  double complex z = turn_pointer(-2 - 4 * I);
  printf("%g %g complex\n", creal(z), cimag(z));
  __int128 w = wide_pointer(16);
  printf("wide %.0f + %d\n", (double)(w - w % 16), (int)(w % 16));
  vector4 v = scale_pointer((vector4){1, 2, 3, 4}, 1.5);
  printf("vector %g %g %g %g\n", v[0], v[1], v[2], v[3]);
  printf("many %d\n", many_pointer(1, 2, 3, 4, 5, 6, x, 7, 8.5, 9));
  return 0;
}
