// Handlers with SA_SIGINFO, an alternate stack, nesting, sigsuspend, an interval timer, EINTR and SA_RESTART, longjmp
// out of a handler for a fault, and the time stamp counter.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <x86intrin.h>

static volatile sig_atomic_t alarms, nested;
static sigjmp_buf out;
static int pipe_ends[2];

static void on_alarm(int number, siginfo_t* info, void* context) {
  ucontext_t* interrupted = context;
  alarms++;
  if (info->si_signo != number || interrupted->uc_mcontext.gregs[REG_RIP] == 0) abort();
  if (alarms == 3) raise(SIGUSR2);
}

static void on_usr2(int number) {
  nested = number;
  if (write(pipe_ends[1], "x", 1) != 1) abort();
}

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)context;
  printf("fault %d at %p\n", number, info->si_addr);
  siglongjmp(out, 1);
}

int main(void) {
  if (pipe(pipe_ends)) return 1;
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  sigaltstack(&stack, 0);
  struct sigaction action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGALRM, &action, 0);
  action = (struct sigaction){.sa_handler = on_usr2, .sa_flags = SA_RESTART};
  sigaction(SIGUSR2, &action, 0);
  action = (struct sigaction){.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);

  struct itimerval every = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_REAL, &every, 0);
  int interrupted = 0;
  while (alarms < 5) interrupted += poll(0, 0, 1000) < 0 && errno == EINTR;
  sigset_t mask, none;
  sigemptyset(&none);
  sigemptyset(&mask);
  sigaddset(&mask, SIGALRM);
  sigprocmask(SIG_BLOCK, &mask, 0);
  const int before = alarms;
  sigsuspend(&none);
  printf("suspended %d, nested %d, interrupted %d\n", alarms - before, nested, interrupted > 0);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, 0);

  char byte;
  printf("read %zd\n", read(pipe_ends[0], &byte, 1));
  if (!sigsetjmp(out, 1)) *(volatile int*)16 = 1;
  const unsigned long long first = __rdtsc(), second = __rdtsc();
  printf("time stamp %d %llu\n", second > first, first);
  raise(SIGTERM);
  return 0;
}
