// Variables of all kinds that are read before they have a value. A line that must be told ends in "reads NAME".
#include <stdio.h>
#include <string.h>

struct point {
  int x, y;
};

static int never(int count) {
  int total;
  for (int i = 0; i < count; ++i) total += i;  // reads total
  return total;
}

static int skipped(int way) {
  int chosen;
  if (way > 0) chosen = 5;
  return chosen + 1;  // reads chosen
}

static int member(void) {
  struct point p;
  p.x = 1;
  return p.x * p.y;  // reads p
}

static int element(int at) {
  int squares[4];
  squares[0] = 0;
  squares[1] = 1;
  return squares[at] * 2;  // reads squares
}

static void release(char** slot) {
  if (*slot != NULL) *slot = NULL;  // reads pointer
}

static void leave_something(void) {
  volatile char buffer[256];
  for (unsigned i = 0; i < sizeof buffer; ++i) buffer[i] = 0;
}

static int through_a_pointer(void) {
  char* pointer;
  release(&pointer);
  return pointer == NULL;
}

static int doubled(int value) {
  return value * 2;  // reads handed
}

static int handed_on(void) {
  int handed;
  return doubled(handed);
}

static int given_back(void) {
  int result;
  return result;
}

static int copied_as_a_whole(void) {
  struct point p, q;
  p.x = 1;
  memcpy(&q, &p, sizeof q);
  struct point r = q;
  return r.x + r.y;  // reads p
}

int main(int argc, char** argv) {
  (void)argv;
  leave_something();
  int sum = never(argc + 2);
  sum += skipped(argc - 1);
  sum += member();
  sum += element(argc + 1);
  leave_something();
  sum += through_a_pointer();
  sum += handed_on();
  if (given_back() > 3) ++sum;  // reads result
  sum += copied_as_a_whole();
  return sum == 12345;
}
