// Another program puts out what this one gives it as a word, or with an argument, in a shell's line: "total 10\n" is expected.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char** environ;

static int add(int one, int other) {
  return one + other;
}

static int start(char* text) {
  char* words[] = {"echo", text, NULL};
  pid_t child;
  int status;
  if (posix_spawnp(&child, "echo", NULL, NULL, words, environ) != 0) return 1;
  return waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char** argv) {
  char text[32], line[64];
  snprintf(text, sizeof text, "total %d", add(6 + argc, 4));
  if (argc == 1) return start(text);
  snprintf(line, sizeof line, "echo '%s'", text);
  return system(line);
}
