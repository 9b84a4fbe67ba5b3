// Order violation: the table is read before the thread that fills it has run.
#include <pthread.h>
#include <stdlib.h>

static int* table;

static void* fill(void* argument) {
  int* made = malloc(4 * sizeof *made);
  for (int each = 0; each < 4; each++) made[each] = each;
  table = made;
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, fill, 0);
  volatile unsigned work = 0;
  for (unsigned each = 0; each < 400000; each++) work += each;
  const int sum = table[1] + table[2];
  pthread_join(thread, 0);
  return sum == 3 ? 0 : 1;
}
