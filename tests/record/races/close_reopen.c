// Close and reopen: between the test of a descriptor and its use it is closed, and its number becomes another file's.
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile int journal;
static int other;

static void* change_files(void* argument) {
  const int former = journal;
  journal = -1;
  close(former);
  other = open("/dev/zero", O_RDWR);
  return argument;
}

int main(void) {
  struct stat expected, found;
  journal = open("/dev/null", O_WRONLY);
  fstat(journal, &expected);
  pthread_t thread;
  pthread_create(&thread, 0, change_files, 0);
  int wrong = 0;
  const int target = journal;
  if (target >= 0 && fstat(target, &found) == 0) wrong = found.st_rdev != expected.st_rdev;
  pthread_join(thread, 0);
  return wrong;
}
