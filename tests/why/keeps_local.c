// Options are registered by the addresses of variables of a function that returns.
#include <stdio.h>
#include <stdlib.h>

struct option {
  const char* name;
  int* value;
};

static struct option options[8];
static int count;

static void add(const char* name, int* value) {
  options[count].name = name;
  options[count++].value = value;
}

static void set_up(int level) {
  int verbose = level, width = 80;
  add("verbose", &verbose);
  add("width", &width);  // gives away
}

static void overwrite(int* cells, int rows) {
  for (int each = 0; each < 12; ++each) cells[each] = rows * each;
}

static int area(int rows, void (*fill)(int*, int)) {
  int cells[12];
  fill(cells, rows);
  return cells[rows % 12] + cells[11];
}

int main(int argc, char** argv) {
  set_up(argc);
  const int total = area(7, argc > 5 ? NULL : overwrite);
  if (*options[1].value != 80) {  // uses
    fprintf(stderr, "%s: %s is %d, total %d\n", argv[0], options[1].name, *options[1].value, total);
    abort();
  }
  return 0;
}
