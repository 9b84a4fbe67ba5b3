// A child that crashes, which was forked by a second thread; a grandchild that aborts; a child that executes a program.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct item {
  int value;
  struct item* next;
};

static struct item* prepend(struct item* next, int value) {
  struct item* made = malloc(sizeof *made);
  made->value = value;
  made->next = next;
  return made;
}

static int sum(const struct item* at, int count) {
  int total = 0;
  for (int each = 0; each < count; each++) {
    total += at->value;
    at = at->next;
  }
  return total;
}

static int first_byte(const char* path) {
  char byte = 0;
  int fd = open(path, O_RDONLY);
  if (fd < 0 || read(fd, &byte, 1) != 1) _exit(9);
  close(fd);
  return byte;
}

static void in_child(const char* path, struct item* list) {
  list = prepend(list, first_byte(path));
  pid_t child = fork();
  if (child == 0) {
    printf("grandchild %d\n", getpid() == getppid());
    fflush(stdout);
    abort();
  }
  int status;
  waitpid(child, &status, 0);
  printf("child: the grandchild ended with %d\n", WTERMSIG(status));
  fflush(stdout);
  printf("%d\n", sum(list, 4)); /* one too many */
}

static void* fork_here(void* path) {
  struct item* list = prepend(prepend(NULL, 1), 2);
  pid_t child = fork();
  if (child == 0) {
    in_child(path, list);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  printf("parent: the child ended with %d\n", WTERMSIG(status));
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, fork_here, argv[argc - 1]);
  pthread_join(thread, NULL);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/echo", "echo", "executed", NULL);
    _exit(8);
  }
  int status;
  waitpid(child, &status, 0);
  printf("parent: echo ended with %d\n", WEXITSTATUS(status));
  return 0;
}
