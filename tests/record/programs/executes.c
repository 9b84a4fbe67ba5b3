// Executes a captured program by system, posix_spawn, popen, vfork, fork, and from a shell's pipe; and one that is
// missing. Usage: executes WORKER
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* ended(int status) {
  static char text[32];
  snprintf(text, sizeof text, WIFSIGNALED(status) ? "signal %d" : "status %d",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return text;
}

static int wait_for(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) != child) abort();
  return status;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  char* worker = argv[1];
  char line[256];

  snprintf(line, sizeof line, "%s system", worker);
  printf("system: %s\n", ended(system(line)));
  fflush(stdout);

  pid_t child;
  char* const spawned[] = {worker, "spawn", 0};
  if (posix_spawn(&child, worker, 0, 0, spawned, environ)) return 3;
  printf("posix_spawn: %s\n", ended(wait_for(child)));
  char* const missing[] = {"missing", 0};
  printf("missing: %s\n", strerror(posix_spawn(&child, "/nowhere/missing", 0, 0, missing, environ)));

  snprintf(line, sizeof line, "%s popen | tr a-z A-Z", worker);
  FILE* output = popen(line, "r");
  while (output && fgets(line, sizeof line, output)) printf("popen: %s", line);
  printf("popen: %s\n", ended(pclose(output)));
  fflush(stdout);

  child = vfork();
  if (child == 0) {
    execl(worker, worker, "crash", (char*)0);
    _exit(9);
  }
  printf("vfork: %s\n", ended(wait_for(child)));
  fflush(stdout);

  child = fork();
  if (child == 0) {
    execl(worker, worker, "fork", (char*)0);
    _exit(9);
  }
  printf("fork: %s\n", ended(wait_for(child)));
  return 0;
}
