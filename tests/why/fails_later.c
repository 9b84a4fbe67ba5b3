// The heap is used wrongly, and the program goes on until the C library notices (an argument), or until it crashes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node* next;
  const char* name;
};

static int crash_later(void) {
  struct node* first = malloc(sizeof *first);
  first->next = malloc(sizeof *first);
  first->next->next = NULL;
  first->next->name = "second";
  struct node* kept = first->next;
  free(first->next);
  first->next = NULL;
  char* other = malloc(sizeof *first);
  memset(other, 0, sizeof *first);
  const char* name = kept->name;
  return strlen(name) == 0;
}

static int noticed_later(void) {
  char* small = malloc(24);
  char* next = malloc(100);
  for (int i = 0; i < 40; ++i) small[i] = ' ';
  printf("%d\n", small[3] == next[0]);
  free(next);
  free(small);
  return 0;
}

int main(int argc, char** argv) {
  (void)argv;
  return argc > 1 ? noticed_later() : crash_later();
}
