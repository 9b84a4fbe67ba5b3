// Overflows its machine stack: once with a handler that gets it out, in a thread too, and then for good.
// EVENT: the stack is used up
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Node {
  struct Node* next;
  int value;
};

static sigjmp_buf out;
static int deepest;

__attribute__((noinline)) static int weighed(const struct Node* node, int depth) {
  if (node == NULL) return depth;
  ++deepest;
  const int rest = weighed(node->next, depth + 1);
  return rest % 1000003 * 3 + node->value;
}

static void on_fault(int number) {
  (void)number;
  siglongjmp(out, 1);
}

static void give_stack(void) {
  stack_t stack = {.ss_sp = malloc(16384), .ss_size = 16384};
  sigaltstack(&stack, NULL);
}

static void walk(const char* who, const struct Node* ring) {
  deepest = 0;
  if (sigsetjmp(out, 1) == 0) weighed(ring, 0);
  printf("%s: %d\n", who, deepest);
}

static void* other_thread(void* ring) {
  give_stack();
  walk("thread", ring);
  return NULL;
}

int main(void) {
  struct Node one = {NULL, 1}, two = {&one, 2};
  one.next = &two;
  give_stack();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_fault;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, NULL);
  walk("first", &one);
  pthread_t thread;
  pthread_create(&thread, NULL, other_thread, &one);
  pthread_join(thread, NULL);
  walk("again", &one);
  fflush(stdout);
  action.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &action, NULL);
  return weighed(&one, 0);
}
