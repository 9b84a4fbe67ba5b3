// The order that is wrong was made by the library, out of what compare() told it.
#include <stdio.h>
#include <stdlib.h>

struct file {
  const char *name;
  long size;
};

static int compare(const void *left, const void *right) {
  const struct file *a = left, *b = right;
  return (int)(a->size - b->size);  // loses the upper half
}

int main(void) {
  struct file files[] = {{"film", 5000000000}, {"note", 120}, {"disk", 9000000000}, {"photo", 3000000}};
  qsort(files, 4, sizeof(*files), compare);
  for (int each = 0; each < 4; each++) printf("%s\n", files[each].name);
  return 0;
}
