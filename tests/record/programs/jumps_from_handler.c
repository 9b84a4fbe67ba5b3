// A handler that interrupts a loop without calls is left by siglongjmp, again and again: the next loop is interrupted, too.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile unsigned turns;

static void on_alarm(int number) {
  (void)number;
  siglongjmp(back, 1);
}

int main(void) {
  volatile int interrupted = 0;
  signal(SIGALRM, on_alarm);
  for (volatile int round = 0; round < 5; round++) {
    if (sigsetjmp(back, 1)) {
      interrupted++;
      continue;
    }
    ualarm(20000, 0);
    for (turns = 0; turns < 3000000000U; turns++) {
    }
  }
  printf("interrupted %d times\n", interrupted);
  return interrupted != 5;
}
