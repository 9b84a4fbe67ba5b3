/* Values that can be altered from outside: PERTURB_LANE and PERTURB_AT say which of the values that pass by,
   PERTURB_MASK what happens to it. Each thread of a program has a lane, so that a number means the same value in every
   run. With PERTURB_LIST instead, a file of lines LANE AT MASK, the program runs once for each of them, in a process of
   its own, and this process puts out for each a line with its exit status and the bytes that it put out, then these. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long perturb_passed[4], perturb_at[4], perturb_mask;
static char perturb_list[1 << 16];

/* What an altered run may take, of processor time and in all; what it computes unaltered takes milliseconds. */
enum { PERTURB_CPU_MICROSECONDS = 250000, PERTURB_SECONDS = 5 };

static void perturb_need(int holds) {
  if (!holds) _exit(125);
}

static void perturb_become(const char* line, int output) {
  char* at;
  const unsigned long lane = strtoul(line, &at, 10);
  perturb_at[lane & 3] = strtoul(at, &at, 10);
  perturb_mask = strtoul(at, &at, 10);
  struct itimerval time = {{0, 0}, {0, PERTURB_CPU_MICROSECONDS}};
  perturb_need(dup2(output, 1) == 1 && setitimer(ITIMER_PROF, &time, 0) == 0);
  alarm(PERTURB_SECONDS);
}

static void perturb_each(const char* list) {
  int file = open(list, O_RDONLY), output = memfd_create("output", MFD_CLOEXEC);
  long bytes = read(file, perturb_list, sizeof perturb_list);
  perturb_need(output >= 0 && bytes >= 0 && bytes < (long)sizeof perturb_list);
  close(file);
  for (char* line = perturb_list; *line;) {
    perturb_need(ftruncate(output, 0) == 0 && lseek(output, 0, SEEK_SET) == 0);
    pid_t child = fork();
    if (child == 0) return perturb_become(line, output);
    int status = 0;
    perturb_need(child > 0 && waitpid(child, &status, 0) == child);
    struct stat put_out;
    perturb_need(fstat(output, &put_out) == 0);
    dprintf(1, "%d %ld\n", status, (long)put_out.st_size);
    off_t from = 0;
    while (from < put_out.st_size) perturb_need(sendfile(1, output, &from, put_out.st_size - from) > 0);
    while (*line++ != '\n') {
    }
  }
  _exit(0);
}

__attribute__((constructor)) static void perturb_begin(void) {
  const char *lane = getenv("PERTURB_LANE"), *list = getenv("PERTURB_LIST");
  if (list) return perturb_each(list);
  if (!lane) return;
  perturb_at[atoi(lane)] = strtoul(getenv("PERTURB_AT"), 0, 10);
  perturb_mask = strtoul(getenv("PERTURB_MASK"), 0, 10);
}

#define PERTURB_LANE_OF(lane) \
  __attribute__((noinline, unused)) static unsigned long perturb##lane(unsigned long value) {
#define PERTURB_LANE_DOES(lane) \
  if (++perturb_passed[lane] == perturb_at[lane]) value ^= perturb_mask;

/* The returns are on lines of their own: slice-oracle.py looks for them. */
PERTURB_LANE_OF(0)
PERTURB_LANE_DOES(0)
return value; /* lane 0 */
}
PERTURB_LANE_OF(1)
PERTURB_LANE_DOES(1)
return value; /* lane 1 */
}
PERTURB_LANE_OF(2)
PERTURB_LANE_DOES(2)
return value; /* lane 2 */
}
PERTURB_LANE_OF(3)
PERTURB_LANE_DOES(3)
return value; /* lane 3 */
}
