// fork with work in the child, vfork and exec, wait status, a pipe.
// EXPECT: child said 4950
// EXPECT: exit 9
// EXPECT: hello from exec
// EXPECT: vfork exit 0
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int ends[2], status;
  if (pipe(ends)) return 1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int sum = 0;
    for (volatile int i = 0; i < 100; i++) sum += i;
    if (write(ends[1], &sum, sizeof sum) != sizeof sum) _exit(1);
    exit(9);
  }
  int sum;
  if (read(ends[0], &sum, sizeof sum) != sizeof sum) return 1;
  waitpid(child, &status, 0);
  printf("child said %d\nexit %d\n", sum, WEXITSTATUS(status));
  fflush(stdout);
  child = vfork();
  if (child == 0) {
    execlp("echo", "echo", "hello from exec", (char*)NULL);
    _exit(127);
  }
  waitpid(child, &status, 0);
  printf("vfork exit %d\n", WEXITSTATUS(status));
  return 0;
}
