// Label addresses kept in memory by one call and used by the next, which may run the other body.
// EXPECT: sum 10, doubled 20
// EXPECT: stopped at 3
#include <stdio.h>

enum { kAdd, kDouble, kPrint, kStop };

static void* resume_at;
static int steps;

static int interpret(const int* code, int value) {
  static void* const labels[] = {&&add, &&twice, &&print, &&stop};
  if (resume_at) goto* resume_at;
#define NEXT() goto* labels[*code++]
  NEXT();
add:
  value += *code++;
  steps++;
  NEXT();
twice:
  value *= 2;
  steps++;
  NEXT();
print:
  printf("sum %d, doubled %d\n", value / 2, value);
  steps++;
  NEXT();
stop:
  resume_at = &&resumed;
  return value;
resumed:
  return -1;
}

int (*volatile through_pointer)(const int*, int) = interpret;

int main(void) {
  const int code[] = {kAdd, 4, kAdd, 6, kDouble, kPrint, kStop};
  int value = interpret(code, 0);
  if (value != 20 || through_pointer(code, 0) != -1) return 1;
  printf("stopped at %d\n", steps - 1);
  return 0;
}
