// A program's own handler of stack overflows, told from other faults as gnulib does: the mapping that holds a local
// variable is the stack, and a fault in the gap beneath it an overflow. Recursion that fills registers' and recursion
// that fills visible variables' stack both reach it, and it has room for variables of its own.
// LEVELS: -O0 -O2
// TICKS: any
// EXPECT: first handler 1
// EXPECT: overflow of the machine's stack caught 1
// EXPECT: overflow of variables caught 1
// EXPECT: overflow of variables caught 2
// EXPECT: other fault caught
// EXPECT-EXIT: signal SIGSEGV
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf again;
static uintptr_t in_stack;

static int is_beneath_stack(uintptr_t address) {
  static char text[65536];
  int file = open("/proc/self/maps", O_RDONLY), length = 0, got;
  while ((got = read(file, text + length, sizeof text - 1 - length)) > 0) length += got;
  close(file);
  text[length] = 0;
  unsigned long start, end, previous = 0;
  for (char* line = text; sscanf(line, "%lx-%lx", &start, &end) == 2; line = strchr(line, '\n') + 1) {
    if (in_stack >= start && in_stack < end) return address < start && start - address <= (start - previous) / 2;
    previous = end;
  }
  return 0;
}

static void on_fault(int number, siginfo_t* info, void* context) {
  char room[4096];
  (void)number, (void)context;
  memset(room, 1, sizeof room);
  siglongjmp(again, is_beneath_stack((uintptr_t)info->si_addr) ? room[100] : room[100] + 1);
}

__attribute__((noinline)) static int calls_only(volatile int* limit, int depth) {
  if (depth == *limit) return 1;
  const int below = calls_only(limit, depth + 1);
  return below + *limit;
}

__attribute__((noinline)) static int with_variables(int depth, const char* above) {
  char block[16384];
  memset(block, above[0] + 1, sizeof block);
  return depth == -1 ? 0 : with_variables(depth + 1, block) + block[depth & 63];
}

int main(void) {
  volatile int caught = 0, never = -1;
  char marker = 0;
  static char alternate[32768];
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  in_stack = (uintptr_t)&marker;
  sigaltstack(&stack, 0);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
  sigaction(SIGSEGV, &action, &old);
  printf("first handler %d\n", old.sa_handler == SIG_DFL);
  int which = sigsetjmp(again, 1);
  if (!which) return calls_only(&never, 0);
  printf("overflow of the machine's stack caught %d\n", which);
  which = sigsetjmp(again, 1);
  if (which == 1) printf("overflow of variables caught %d\n", ++caught);
  if (caught < 2) return with_variables(0, &marker);
  if (!sigsetjmp(again, 1)) *(volatile char*)1 = 1;
  printf("other fault caught\n");
  fflush(stdout);
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  return 0;
}
