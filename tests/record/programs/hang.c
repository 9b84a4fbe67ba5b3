// Does not end: hang.c KIND
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int never;

static void* spin(void* argument) {
  while (!never) {}
  return argument;
}

int main(int count, char** words) {
  const char* kind = count > 1 ? words[1] : "spin";
  sigset_t all;
  sigfillset(&all);
  if (strstr(kind, "blocked")) sigprocmask(SIG_SETMASK, &all, 0);
  if (strstr(kind, "ignored")) signal(SIGALRM, SIG_IGN);
  write(1, "begun\n", 6);
  if (strstr(kind, "wait")) pause();
  if (strstr(kind, "thread")) {
    pthread_t thread;
    pthread_create(&thread, 0, spin, 0);
    pthread_join(thread, 0);
  }
  if (strstr(kind, "calls")) {
    while (getppid() != 0) {}
  }
  spin(0);
  return 0;
}
