// Labels as values: in a table, as differences in a table, kept in memory between calls, compared, and passed on.
// ARGS: aabcd
// EXPECT: table 112
// EXPECT: differences 1121
// EXPECT: resumed 0 1 2 3
// EXPECT: equal 1
#include <stdio.h>

static int by_table(const char* program) {
  static void* const table[] = {&&add, &&ten, &&hundred, &&stop};
  int result = 0;
  goto *table[*program++ - 'a'];
add:
  result += 1;
  goto *table[*program++ - 'a'];
ten:
  result += 10;
  goto *table[*program++ - 'a'];
hundred:
  result += 100;
  goto *table[*program++ - 'a'];
stop:
  return result;
}

static int by_difference(const char* program) {
  static const int offsets[] = {&&add - &&add, &&ten - &&add, &&hundred - &&add, &&stop - &&add};
  int result = 1000;
  void* next;
again:
  next = &&add + offsets[*program++ - 'a'];
  goto *next;
add:
  result += 1;
  goto again;
ten:
  result += 10;
  goto again;
hundred:
  result += 100;
  goto again;
stop:
  return result + 9;
}

struct Routine { void* where; int value; };

static int resume(struct Routine* routine) {
  if (routine->where) goto *routine->where;
  routine->value = 0;
  routine->where = &&second;
  return routine->value++;
second:
  routine->where = &&third;
  return routine->value++;
third:
  return routine->value++;
}

int main(int argc, char** argv) {
  const char* program = argc > 1 ? argv[1] : "d";
  printf("table %d\n", by_table(program));
  printf("differences %d\n", by_difference(program));
  struct Routine routine = {0, 0};
  printf("resumed");
  for (int i = 0; i < 4; i++) printf(" %d", resume(&routine));
  void* here = &&one;
  void* there = argc > 5 ? &&one : &&two;
  printf("\nequal %d\n", here == &&one);
  goto *there;
one:
  return 1;
two:
  return 0;
}
