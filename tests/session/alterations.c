// What an altered run can leave out or replace: each kind of write and call, one a line.
#include <stdio.h>
#include <string.h>

struct point {
  long x, y, z;
};

static int number = 1;
static double ratio = 0.5;
static float part = 0.5F;
static const char* name = "first";
static struct point corner = {1, 2, 3};

static int twice(int value) {
  return 2 * value;
}

static void raise(int* counter) {
  *counter += 1;
}

static struct point moved(long by) {
  return (struct point){by, by, by};
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += i;
    raise(&sum);
  }
  number = 7;
  ratio = 2.5;
  part = 3.5F;
  name = "second";
  struct point other = moved(9);
  memcpy(&corner, &other, sizeof corner);
  int doubled = twice(number);
  size_t length = strlen(name);
  int once = 6;
  int again = 0;
  again += once;
  again += 1 * once;
  printf("%d %d %.1f %.1f %s %ld %d %zu %d\n", sum, number, ratio, part, name, corner.z, doubled, length, again);
  return 0;
}
