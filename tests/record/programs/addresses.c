// Prints addresses of everything that a program can point to. They are the same whatever bodies run.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* names[] = {"alpha", "beta", "gamma"};
const int table[5] = {1, 2, 3, 4, 5};
int counter = 7;
static int zeros[100];
_Thread_local int counted = 3;
static _Thread_local int uncounted;
static jmp_buf jump;

static void show(const char* what, const void* address) {
  printf("%s %p\n", what, address);
}

static int compare(const void* one, const void* other) {
  char local = 0;
  static int calls;
  if (calls++ == 0) show("local of a callback", &local);
  return *(const int*)one - *(const int*)other;
}

static void on_signal(int number) {
  int local = number;
  show("local of a handler", &local);
}

static void* work(void* argument) {
  int local = 1;
  show("local of a thread", &local);
  show("thread's variable", &counted);
  return memset(malloc(1000), 1, 1000) == argument ? argument : NULL;
}

int main(int argc, char** argv) {
  int local = argc;
  show("local", &local);
  show("heap", malloc(100));
  show("large", malloc(1 << 20));
  show("literal", "a literal");
  show("names", names);
  show("name", names[local % 3]);
  show("table", table);
  show("counter", &counter);
  show("zeros", zeros);
  show("thread local", &counted);
  show("zero thread local", &uncounted);
  show("errno", &errno);
  show("main", (const void*)main);
  show("static function", (const void*)compare);
  show("library function", (const void*)qsort);
  show("library variable", &stdout);
  show("argv", argv);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  int values[5] = {5, 3, 1, 4, 2};
  qsort(values, 5, sizeof *values, compare);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  if (setjmp(jump) == 0) longjmp(jump, 1);
  for (int each = 0; each < 5; each++) printf("%d ", values[each] * table[each]);
  puts("");
  return 0;
}
