// Says that it crashed, which takes branches, and ends as a crash does. The root has no right side, and nothing tests
// that.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
  int number;
  struct node *left, *right;
};

static void on_crash(int number) {
  static const char* const kinds[] = {"segmentation fault", "abort"};
  const int at = number == SIGSEGV ? 0 : 1;
  for (const char* letter = kinds[at]; *letter != 0; ++letter) {
    if (write(2, letter, 1) < 0) _exit(4);
  }
  abort();
}

static struct node* make(int number, int alone) {
  struct node* node = malloc(sizeof *node);
  node->number = number;
  node->left = alone ? node : NULL;
  node->right = NULL;
  return node;
}

int main(int argc, char** argv) {
  (void)argv;
  signal(SIGSEGV, on_crash);
  struct node* root = make(5, argc > 0);
  struct node* next = argc > 2 ? root->left : root->right;
  printf("%d\n", next->number);
  return 0;
}
