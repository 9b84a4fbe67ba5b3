// Loops, recursion, callbacks from a library, calls through a pointer, a switch, an early return, longjmp.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int total;
static jmp_buf back;

static void act(int a, int b) {
  total = total * 31 + a * 7 + b;  // POINT act
}

static int compare(const void* left, const void* right) {
  const int* one = left;
  const int* other = right;
  act(*one, *other);
  return *one - *other;
}

static void tree(int depth) {
  act(depth, 1);
  if (depth == 0) return;
  for (int way = 0; way < 2; ++way) tree(depth - 1);
}

static int find(int n, int wanted) {
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      if (i * j == wanted) return i;
      switch ((i + j) % 3) {
        case 0:
          act(i, j);
          break;
        case 1:
          continue;
        default:
          act(j, i);
      }
    }
  }
  return -1;
}

static void jump(int n) {
  volatile int times = 0;
  setjmp(back);
  act(times, 2);
  if (++times < n) longjmp(back, 1);
}

static int fail(void) {
  exit(3);
again:  // not reached
  act(total, 0);
  if (total-- > 0) goto again;
  return 1;
}

int main(int argc, char** argv) {
  void (*volatile call)(int, int) = act;
  int numbers[] = {5, 3, 9, 1, 7};
  int n = atoi(argv[1]);
  for (int k = 0; k < n; ++k) {
    call(k, argc);
    find(k, 6);
  }
  tree(3);
  qsort(numbers, 5, sizeof *numbers, compare);
  jump(n);
  if (total == 1) return fail();
  printf("%d\n", total);
  return 0;
}
