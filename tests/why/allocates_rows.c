/* The function's name has "alloc" in it, yet it is no wrapper of the allocator: it fails itself. */
#include <stdio.h>
#include <stdlib.h>

struct table {
  int rows, columns;
  int *row_of[4];
};

static int allocate_rows(struct table *table, int used) {
  int free_rows = 0;
  for (int row = 0; row < table->rows; ++row) {
    if (row < used) table->row_of[row] = calloc(table->columns, sizeof(int));
  }
  for (int row = 0; row < table->rows; ++row) {
    table->row_of[row][0] = row; /* those that are not used have no memory */
    if (table->row_of[row][0] == 0) ++free_rows;
  }
  return free_rows;
}

int main(void) {
  struct table table = {4, 8, {0}};
  printf("%d\n", allocate_rows(&table, 3));
  return 0;
}
