// What executes.c starts: a sum over a list; with "fork" part of it in a child; with "crash" one link too far.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct item {
  int value;
  struct item* next;
};

static int sum(const struct item* at, int count) {
  int total = 0;
  for (int each = 0; each < count; each++) {
    total += at->value;
    at = at->next;
  }
  return total;
}

int main(int argc, char** argv) {
  struct item* list = NULL;
  for (int each = 1; each <= 3; each++) {
    struct item* made = malloc(sizeof *made);
    made->value = each;
    made->next = list;
    list = made;
  }
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "fork") == 0) {
    pid_t child = fork();
    if (child == 0) {
      printf("child: %d\n", sum(list, 2));
      return 4;
    }
    int status;
    waitpid(child, &status, 0);
    printf("worker: the child ended with %d\n", WEXITSTATUS(status));
  }
  printf("worker %s: %d\n", how, sum(list, strcmp(how, "crash") == 0 ? 4 : 3));
  return 6;
}
