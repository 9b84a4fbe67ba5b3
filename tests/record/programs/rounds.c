// Rounds of work with output and a file that is mapped late; for regions.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static long total;

static void work(int round) {
  for (int each = 0; each < 100; each++) total += (long)round * each % 7;
  if (round % 10 == 0) {
    printf("round %d: %ld\n", round, total);
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  for (int round = 1; round <= 100; round++) work(round);
  int fd = open(argv[argc - 1], O_RDONLY);
  const char* mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  printf("end %ld %d\n", total, mapped == MAP_FAILED ? -1 : mapped[0]);
  return 3;
}
