// Thread-local variables of every kind, initialised and zero, visible and static, seen from several threads.
// FLAGS: -pthread
// TICKS: any
// EXPECT: main 7 0 3 1
// EXPECT: 8 1 0 4 40
// EXPECT: 9 2 1 4 40
// EXPECT: 10 3 2 4 40
// EXPECT: main 7 0 3 1
#include <pthread.h>
#include <stdio.h>

_Thread_local int visible = 7;
static _Thread_local int zero;
static _Thread_local struct { char tag; long cells[4]; } record = {3, {10, 10, 10, 10}};
static _Thread_local int* pointer;

static void raise_to(int* where, int value) { *where += value; }

static void* body(void* argument) {
  int number = *(int*)argument;
  pointer = &visible;
  *pointer += number;
  raise_to(&zero, number);
  record.tag++;
  long sum = 0;
  for (int i = 0; i < 4; i++) sum += record.cells[i];
  printf("%d %d %d %d %ld\n", visible, zero, number - 1, record.tag, sum);
  return 0;
}

int main(void) {
  printf("main %d %d %d %d\n", visible, zero, record.tag, pointer == 0);
  for (int i = 1; i <= 3; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, body, &i);
    pthread_join(thread, 0);
  }
  printf("main %d %d %d %d\n", visible, zero, record.tag, pointer == 0);
  return 0;
}
