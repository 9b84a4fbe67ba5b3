// longjmp out of nested frames, repeatedly, with locals changed between setjmp and longjmp: every body keeps them in
// memory, and the stack of escaping variables does not leak.
// COMPARE: bodies
// EXPECT: 0 41
// EXPECT: round 100000 depth 3
// EXPECT: nested 1 2 3
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf outer, inner;
static char* lowest;

static void descend(int depth) {
  char block[4096];
  memset(block, depth, sizeof block);
  if (!lowest || block < lowest) lowest = block;
  if (depth == 0) longjmp(outer, block[17] + 1);
  descend(depth - 1);
  block[0]++;
}

static int changed_local(int start) {
  int local = start;
  if (setjmp(outer) == 0) {
    local += 41;
    descend(20);
  }
  return local;
}

static int many_rounds(void) {
  volatile int round = 0;
  char* first = 0;
  for (;;) {
    setjmp(outer);
    if (++round == 2) first = lowest;
    if (round == 100000) break;
    descend(3);
  }
  return lowest == first ? round : -1;
}

static void nested(void) {
  int step = 0;
  if (setjmp(outer) == 0) {
    step = 1;
    printf("nested %d", step);
    if (setjmp(inner) == 0) {
      step = 2;
      longjmp(inner, 1);
    }
    printf(" %d", step);
    step = 3;
    longjmp(outer, 1);
  }
  printf(" %d\n", step);
}

int main(void) {
  printf("%d %d\n", changed_local(0) - 41, changed_local(0));
  printf("round %d depth 3\n", many_rounds());
  nested();
  return 0;
}
