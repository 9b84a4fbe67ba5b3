// Contexts that take turns, each deep in calls with escaping variables, and one that ends into its successor.
// EXPECT: 1 2 3 1 2 3 1 2 3
// EXPECT: sums 4950 9900 14850
// EXPECT: again 2000
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { kContexts = 3, kStackBytes = 64 * 1024 };
static ucontext_t caller, contexts[kContexts];
static long sums[kContexts];
static int running;

static void turn(void) { swapcontext(&contexts[running], &caller); }

static void deep(int depth, int number, int* above) {
  int own[32];
  for (int i = 0; i < 32; i++) own[i] = number;
  if (depth > 0) {
    deep(depth - 1, number, own);
  } else {
    for (int round = 0; round < 3; round++) {
      printf("%d%s", number, round == 2 && number == kContexts ? "\n" : " ");
      turn();
    }
  }
  for (int i = 0; i < 32; i++) {
    if (own[i] != (i == 0 && depth > 0 ? 2 * number : number)) abort();
  }
  *above += number;
}

static void start(int number, int count) {
  int total = 0;
  deep(20, number, &total);
  for (int i = 0; i < count; i++) sums[number - 1] += i * number;
  if (total != number) abort();
}

static int counted;
static void count_once(void) {
  char space[512];
  memset(space, 1, sizeof space);
  counted += space[300];
}

int main(void) {
  char* stacks[kContexts];
  for (int i = 0; i < kContexts; i++) {
    stacks[i] = malloc(kStackBytes);
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = kStackBytes;
    contexts[i].uc_link = &caller;
    makecontext(&contexts[i], (void (*)(void))start, 2, i + 1, 100);
  }
  for (int round = 0; round < 4; round++) {
    for (running = 0; running < kContexts; running++) swapcontext(&caller, &contexts[running]);
  }
  printf("sums %ld %ld %ld\n", sums[0], sums[1], sums[2]);
  for (int i = 0; i < 2000; i++) {
    getcontext(&contexts[0]);
    contexts[0].uc_stack.ss_sp = stacks[i % kContexts];
    contexts[0].uc_stack.ss_size = kStackBytes;
    contexts[0].uc_link = &caller;
    makecontext(&contexts[0], count_once, 0);
    swapcontext(&caller, &contexts[0]);
  }
  printf("again %d\n", counted);
  return 0;
}
