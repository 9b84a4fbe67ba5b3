// A fault that a handler of the program's repairs, in a stretch of recorded addresses: what the handler does is not
// told, and the walk goes on where it was.
// slice: --at 34 => 22 29 30 31 32 34
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static char* page;
static int seen[512];

static void repair(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  for (int i = 0; i < 512; i += 7) {
    if (i % 3 == 0) seen[(i * 37) % 512] += i;
  }
  if ((char*)info->si_addr >= page) mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static int table[100];

int main(void) {
  page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, 0);
  for (int i = 0; i < 100; ++i) {
    table[(i * 31) % 100] = i;
    seen[i] = table[(i * 17) % 100];
  }
  int sum = 0;
  for (int i = 0; i < 50; ++i) {
    page[(i * 11) % 50] = (char)i;
    sum += page[(i * 11) % 50];
  }
  printf("sum %d\n", sum);
  return 0;
}
