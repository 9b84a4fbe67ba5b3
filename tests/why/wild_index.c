// A number that was read is an index, and nobody looks whether the table has it.
#include <stdio.h>
#include <stdlib.h>

struct table {
  int* at;
  int used;
};

static int* entry(struct table* table, int index) { return table->at + index; }

int main(int argc, char** argv) {
  FILE* numbers = fopen(argv[argc - 1], "r");
  struct table table = {calloc(10, sizeof(int)), 10};
  int index, sum = 0;
  while (fscanf(numbers, "%d", &index) == 1) {
    sum += *entry(&table, index);
  }
  printf("%d\n", sum);
  return 0;
}
