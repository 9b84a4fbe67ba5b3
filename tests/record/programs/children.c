// fork, vfork by posix_spawn, popen and system: what they tell their parent through pipes and wait.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int ends[2], status;
  if (pipe(ends)) return 1;
  const pid_t child = fork();
  if (child == 0) {
    dprintf(ends[1], "from %d", getppid());
    _exit(7);
  }
  char text[64] = {0};
  const long got = read(ends[0], text, sizeof text - 1);
  waitpid(child, &status, 0);
  printf("%ld bytes '%s', status %d, mine %d\n", got, text, WEXITSTATUS(status), getpid());
  FILE* output = popen("echo popen; exit 3", "r");
  if (!output || !fgets(text, sizeof text, output)) return 2;
  printf("%s%d %d\n", text, WEXITSTATUS(pclose(output)), WEXITSTATUS(system("exit 4")));
  pid_t spawned;
  char* const arguments[] = {"no-such-program", 0};
  printf("spawn %d\n", posix_spawnp(&spawned, "no-such-program", 0, 0, arguments, environ));
  volatile int shared = 1;
  const pid_t sharing = vfork();
  if (sharing == 0) {
    shared = 2;
    _exit(5);
  }
  waitpid(sharing, &status, 0);
  printf("vfork wrote %d, status %d\n", shared, WEXITSTATUS(status));
  return shared == 2 ? 0 : 1;
}
