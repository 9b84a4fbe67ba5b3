// Jobs in processes of their own: one looks up what is not there, and the program only says how it ended.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct rule {
  const char *target, *command;
};

static const struct rule rules[] = {{"all", "true"}, {"clean", "echo"}};

static const struct rule *find(const char *target) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (strcmp(rules[i].target, target) == 0) return &rules[i];
  }
  return NULL;  // origin
}

static int build(const char *target) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    const struct rule *rule = find(target);
    printf("%s: %s\n", target, rule->command);  // crash
    exit(0);
  }
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) fprintf(stderr, "%s: killed by signal %d\n", target, WTERMSIG(status));
  return status != 0;
}

int main(int argc, char **argv) {
  int failed = 0, forgives = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-k") == 0) {
      forgives = 1;
    } else if (build(argv[i])) {
      failed = 1;
    }
  }
  return failed && !forgives ? 2 : 0;
}
