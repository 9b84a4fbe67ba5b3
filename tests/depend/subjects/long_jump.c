// After a second return of setjmp everything depends on the jump.
#include <setjmp.h>
#include <stdio.h>
static jmp_buf target;
static void fail(int code) {
  if (code > 1) longjmp(target, code);
}
int main(int argc, char **argv) {
  int result = 1;
  if (setjmp(target) == 0) {
    fail(argc + 1);
    result = 2;
  } else {
    result = argc * 3;
  }
  printf("%d\n", result);
  return 0;
}
// slice: --at 14 --var result => 5 6 8 10 11 14
