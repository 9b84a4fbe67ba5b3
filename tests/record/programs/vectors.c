// Wide vector registers belong to their thread across system calls at which other threads run. The call is made at one
// place, so that it is rewritten after the first time.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

__attribute__((target("avx"), noinline)) static int survives(const unsigned char* pattern) {
  unsigned char after[32];
  long call = SYS_sched_yield;
  __asm__ volatile(
      "vmovdqu (%1), %%ymm9\n\t"
      "syscall\n\t"
      "cmp $-4096, %%rax\n\t"
      "vmovdqu %%ymm9, (%2)"
      : "+a"(call)
      : "r"(pattern), "r"(after)
      : "rcx", "r11", "memory", "cc", "xmm9");
  return memcmp(pattern, after, sizeof after) == 0;
}

static void* work(void* argument) {
  unsigned char pattern[32];
  memset(pattern, *(const char*)argument, sizeof pattern);
  long kept = 0;
  for (int turn = 0; turn < 20; turn++) kept += survives(pattern);
  return (void*)kept;
}

int main(void) {
  if (!__builtin_cpu_supports("avx")) return 0;
  char names[] = "abcd";
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, &names[i]);
  long all = 0;
  for (int i = 0; i < 4; i++) {
    void* kept;
    pthread_join(threads[i], &kept);
    all += (long)kept;
  }
  printf("%ld\n", all);
  return all == 80 ? 0 : 1;
}
