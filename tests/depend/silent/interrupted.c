// The same where the handler returns.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned long work;
static volatile int alarms;

static void on_alarm(int signal) {
  (void)signal;
  alarms++;  // origin
  if (alarms == 3) abort();  // crash
  ualarm(2000, 0);
}

int main(void) {
  signal(SIGALRM, on_alarm);
  ualarm(2000, 0);
  for (;;) work++;
}
