// Says where it crashed, by what lies on its stack: that is other code in another executable. And what is read is
// random, so only its recording can be explained.
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

struct entry {
  unsigned key;
  struct entry *next;
};

static void on_crash(int number) {
  void *frames[16];
  const int count = backtrace(frames, 16);
  for (int each = 0; each < count; ++each) {
    char line[32];
    const int length = snprintf(line, sizeof(line), "%d: %p\n", each, frames[each]);
    if (write(2, line, length) < 0) _exit(4);
  }
  signal(number, SIG_DFL);
  raise(number);
}

static const struct entry *find(const struct entry *first, unsigned key) {
  while (first != NULL && first->key != key) first = first->next;
  return first;  // origin
}

int main(void) {
  signal(SIGSEGV, on_crash);
  struct entry last = {3, NULL}, first = {1, &last};
  unsigned random = 0;
  if (getrandom(&random, sizeof(random), 0) < 0) return 2;
  const struct entry *found = find(&first, random | 4);
  printf("%u\n", found->key);  // crash
  return 0;
}
