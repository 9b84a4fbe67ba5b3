// A child made by fork goes on with its parent's variables and starts threads of its own; a vfork child leaves the parent's
// stack as it was although it ends in the middle of calls.
// FLAGS: -pthread
// TICKS: any
// EXPECT: child 10 thread 20
// EXPECT: parent 1 vfork 3 kept 1
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void add(int* where, int value) { *where += value; }

static void* in_child(void* argument) {
  int twice[2] = {*(int*)argument, *(int*)argument};
  add(&twice[0], twice[1]);
  return (void*)(long)twice[0];
}

__attribute__((noinline)) static void leave(int code, char* above) {
  char block[2048];
  memset(block, code, sizeof block);
  above[0] = block[7];
  _exit(block[7]);
}

__attribute__((noinline)) static int by_vfork(void) {
  char kept[64];
  memset(kept, 5, sizeof kept);
  pid_t child = vfork();
  if (child == 0) leave(3, kept);
  int status = 0;
  waitpid(child, &status, 0);
  char after[64];
  memset(after, 6, sizeof after);
  for (int i = 1; i < 64; i++) {
    if (kept[i] != 5) return -1;
  }
  return WEXITSTATUS(status);
}

int main(void) {
  int number = 1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    add(&number, 9);
    pthread_t thread;
    void* result;
    pthread_create(&thread, 0, in_child, &number);
    pthread_join(thread, &result);
    printf("child %d thread %ld\n", number, (long)result);
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, 0, 0);
  char here[16];
  char* before = here;
  int code = by_vfork();
  for (int i = 0; i < 100000; i++) {
    if (by_vfork() != 3) return 1;
    if (i == 100) break;
  }
  printf("parent %d vfork %d kept %d\n", number, code, before == here);
  return 0;
}
