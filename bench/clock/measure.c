// Runs a command and writes its user time in microseconds, peak memory in KiB and wait status to a file.
// The kernel counts a parent's memory as its child's peak until exec, so the parent has to be this small.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
  FILE* file = fopen(argv[1], "w");
  if (!file) return 1;
  fprintf(file, "%lld %ld %d\n", usage.ru_utime.tv_sec * 1000000LL + usage.ru_utime.tv_usec, usage.ru_maxrss, status);
  return fclose(file) == 0 ? 0 : 1;
}
