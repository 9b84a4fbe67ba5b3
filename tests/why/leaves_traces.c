/* Crashes unless its first branch goes the other way; then it tries everything that the outside would notice. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int touch_the_outside(void) {
  int done = 0;
  done += unlink("victim") == 0;
  done += rename("renamed", "moved") == 0;
  done += mkdir("made", 0777) == 0;
  FILE *out = fopen("written", "w");
  if (out) {
    fputs("overwritten", out);
    fclose(out);
  }
  out = fopen("created", "w");
  if (out) {
    fputs("new", out);
    done += fclose(out) == 0;
  }
  pid_t child = fork();
  if (child == 0) {
    close(open("by-child", O_CREAT | O_WRONLY, 0666));
    _exit(0);
  }
  if (system("touch by-shell") == -1) done += 1;
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s >= 0) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(getenv("PORT")))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(s, (struct sockaddr *)&to, sizeof to) == 0) write(s, "x", 1);
  }
  kill(getppid(), SIGKILL); /* the run that this one was forked from */
  return done;
}

int main(int argc, char **argv) {
  volatile int *nowhere = NULL;
  char before[8] = "";
  if (read(0, before, sizeof before - 1) < 0) return 3;
  if (argc > 1) {
    touch_the_outside();
    printf("end of input: %d\n", (int)read(0, before, sizeof before));
    return 0;
  }
  return *nowhere;
}
