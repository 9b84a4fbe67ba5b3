// Uses most of its machine stacks: the first thread's, another thread's and the one for handlers. Frames of observed
// bodies are larger.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct Node {
  struct Node* next;
  int value;
};

__attribute__((noinline)) static int weighed(const struct Node* node, int depth) {
  if (node == NULL) return depth;
  const int rest = weighed(node->next, depth + 1);
  return rest % 1000003 * 3 + node->value;
}

static struct Node* list(int length) {
  struct Node* first = NULL;
  for (int i = 0; i < length; ++i) {
    struct Node* node = malloc(sizeof *node);
    node->next = first;
    node->value = i;
    first = node;
  }
  return first;
}

static struct Node* few;
static volatile int seen;

static void on_signal(int number) { seen = weighed(few, number); }

static void* other_thread(void* nodes) {
  printf("thread: %d\n", weighed(nodes, 0));
  return NULL;
}

int main(void) {
  struct Node* many = list(300000);
  few = list(120);
  printf("first: %d\n", weighed(many, 0));
  pthread_t thread;
  pthread_create(&thread, NULL, other_thread, many);
  pthread_join(thread, NULL);

  stack_t stack = {.ss_sp = malloc(8192), .ss_size = 8192};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  printf("handler: %d\n", seen);
  return 0;
}
