#include <stdio.h>
struct node { int key; struct node* next; char name[8]; unsigned flag : 3; };
static struct node first = {1, 0, "one", 5}, second = {2, &first, "two", 2};
int table[4] = {1, 2, 3, 4};
static const char* word = "hello";
static int sum(struct node* at, int depth) {
  int total = 0;
  for (; at; at = at->next) {
    total += at->key * table[depth & 3];
  }
  return total;
}
int main(int argc, char** argv) {
  printf("%s %d %s\n", word, sum(&second, argc), argv[0]);
  return 0;
}
