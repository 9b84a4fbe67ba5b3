// ABA: a node is taken off and put back while another thread is about to exchange the stack's top, whose next node is
// then in use elsewhere.
#include <pthread.h>
#include <stdatomic.h>

struct Node {
  struct Node* next;
  atomic_int users;
};

static struct Node nodes[3];
static _Atomic(struct Node*) top;

static struct Node* pop(void) {
  struct Node* first = top;
  while (first && !atomic_compare_exchange_weak(&top, &first, first->next)) {
  }
  return first;
}

static void push(struct Node* node) {
  node->next = top;
  while (!atomic_compare_exchange_weak(&top, &node->next, node)) {
  }
}

static void* turn_over(void* argument) {
  struct Node* first = pop();
  struct Node* second = pop();
  if (second) second->users++;
  if (first) push(first);
  return argument;
}

int main(void) {
  for (int each = 0; each < 3; each++) push(&nodes[each]);
  pthread_t thread;
  pthread_create(&thread, 0, turn_over, 0);
  pop();
  pthread_join(thread, 0);
  struct Node* node = pop();
  if (node) node->users++;
  for (int each = 0; each < 3; each++) {
    if (nodes[each].users > 1) return 1;
  }
  return 0;
}
