// Handlers are entered in a loop. It has no events (SILENT), or they come between the loop's own; then it has no
// condition either (ENDLESS), or one.
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
  ualarm(300, 0);
}

int main(void) {
  volatile unsigned long *cells = calloc(1000, sizeof *cells);
  signal(SIGALRM, on_alarm);
  ualarm(300, 0);
#ifdef SILENT
  for (;;) work++;
#elif defined ENDLESS
  for (;;)
#else
  while (alarms < 5)
#endif
  {
    cells[work % 1000] = alarms;
    work++;  // counted
  }
}
