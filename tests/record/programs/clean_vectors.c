// A tick's slow path and a signal handler leave upper halves of vector registers as little in use as they found them:
// in use they slow down SSE instructions.
// EVENT: the program exits with 0
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { kExtendedState = 13, kTellsInUse = 4, kAvx = 4, kUpperHalves = 64 };

static unsigned in_use(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low & (kAvx | kUpperHalves);
}

static int can_tell(void) {
  unsigned a, b, c, d;
  return __builtin_cpu_supports("avx") && __get_cpuid_count(kExtendedState, 1, &a, &b, &c, &d) && (a & kTellsInUse);
}

static volatile unsigned sum, handled;

__attribute__((noinline)) static void add(unsigned value) { sum += value; }

static void handle(int number) { handled = (unsigned)number; }

int main(void) {
  if (!can_tell()) return 0;
  unsigned seen = 0;
  for (unsigned round = 0; round < 40; ++round) {
    __asm__ volatile("vzeroupper");
    for (unsigned each = 0; each < 1000000; ++each) add(each);
    seen |= in_use();
  }
  if (seen != 0) return 1;
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  __asm__ volatile("vzeroupper");
  raise(SIGUSR1);
  if (in_use() != 0 || handled != SIGUSR1) return 2;
  puts("clean");
  return 0;
}
