// Log corruption: two threads append to one buffer, whose end each takes and moves in two steps.
#include <pthread.h>
#include <string.h>

static char entries[64];
static volatile int end;

static void append(const char* text) {
  const int at = end;
  memcpy(entries + at, text, 4);
  end = at + 4;
}

static void* write_entries(void* argument) {
  append(argument);
  append(argument);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, write_entries, "one;");
  pthread_create(&threads[1], 0, write_entries, "two;");
  for (int each = 0; each < 2; each++) pthread_join(threads[each], 0);
  return strlen(entries) == 16 ? 0 : 1;
}
