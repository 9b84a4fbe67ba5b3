// Each line with a comment does to the heap what no program may do.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int count;
  char name[12];
  struct item *next;
};

__attribute__((noinline)) static struct item *make(int count, const char *name) {
  struct item *made = malloc(sizeof *made);
  made->count = count;
  strcpy(made->name, name);
  made->next = NULL;
  return made;
}

__attribute__((noinline)) static void take_out(struct item **list) {
  struct item *first = *list;
  *list = first->next;
  free(first);
}

int main(int argc, char **argv) {
  (void)argv;
  struct item *list = make(argc, "one");
  struct item *kept = list;
  take_out(&list);
  printf("%d\n", kept->count);  // freed: reads 0 of 24
  kept->count = 7;              // freed: writes 0 of 24

  char *text = malloc(5);
  memcpy(text, "hello", 5);
  printf("%c\n", text[4 + argc]);  // bounds: reads 5 of 5
  text[-argc] = 0x21;              // bounds: writes -1 of 5
  strcpy(text, "longer");          // bounds: writes 5 of 5
  short *numbers = calloc(3, sizeof *numbers);
  for (int i = 0; i <= 3; i++) {
    numbers[i] = (short)i;  // bounds: writes 6 of 6
  }
  int *grown = malloc(sizeof *grown * 4);
  grown[3] = 3;
  char *behind = malloc(16);
  int *moved = realloc(grown, sizeof *grown * 4096);
  printf("%d\n", moved[3]);
  printf("%d\n", grown[3] != 99);  // freed: reads 12 of 16
  free(behind);
  free(numbers);
  free(moved);
  return 0;
}
