// A loop without a condition, which only a signal's handler ends; then a crash.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sigjmp_buf limit;
static volatile unsigned long work;

static void on_alarm(int signal) {
  (void)signal;
  siglongjmp(limit, 1);
}

static void compute(void) {
  for (;;) work++;
}

int main(void) {
  int *result = NULL;  // origin
  signal(SIGALRM, on_alarm);
  if (sigsetjmp(limit, 1) == 0) {
    ualarm(20000, 0);
    compute();
  }
  puts("gave up");
  return *result;  // crash
}
