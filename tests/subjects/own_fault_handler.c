// A program's own SIGSEGV handler gets its faults, on its own alternate stack, and may repair them; a null pointer without
// a handler still kills.
// EXPECT: repaired 2
// EXPECT: restored 1
// EXPECT-EXIT: signal SIGSEGV
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static char* page;
static volatile sig_atomic_t repaired;

static void repair(int number, siginfo_t* info, void* context) {
  char mark[64];
  (void)number, (void)context;
  for (int i = 0; i < 64; i++) mark[i] = 1;
  if ((char*)info->si_addr >= page && (char*)info->si_addr < page + 4096) {
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    repaired += mark[63];
  }
}

int main(void) {
  page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static char alternate[32768];
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  sigaltstack(&stack, 0);
  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
  sigaction(SIGSEGV, &action, &old);
  page[5] = 1;
  mprotect(page, 4096, PROT_NONE);
  page[6] = 1;
  printf("repaired %d\n", (int)repaired);
  signal(SIGSEGV, SIG_DFL);
  printf("restored %d\n", page[5]);
  fflush(stdout);
  *(volatile int*)0 = 1;
  return 0;
}
