// Pointers to variables of functions that have returned, and much that only looks like it.
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct item {
  int value;
  struct item* next;
};

static int* kept;
static char* text;
static struct item* list;
static jmp_buf back;

NOINLINE static void keep(int start) {
  int number = start;
  kept = &number;
  number += 3;
}

NOINLINE static void name(int number) {
  char buffer[24];
  snprintf(buffer, sizeof buffer, "item %d", number);
  text = buffer;
}

NOINLINE static void add(struct item* item, int value) {
  item->value = value;
  item->next = list;
  list = item;
}

NOINLINE static int sum(void) {
  int total = 0;
  for (const struct item* each = list; each; each = each->next) total += each->value;
  return total;
}

NOINLINE static int nested(int depth) {
  struct item item;
  add(&item, depth);
  const int all = depth > 0 ? nested(depth - 1) : sum();
  list = item.next;
  return all;
}

NOINLINE static int through_arrays(int count) {
  int numbers[count];
  int* more = alloca(sizeof(int) * (size_t)count);
  for (int each = 0; each < count; ++each) numbers[each] = more[each] = each;
  kept = &numbers[count - 1];
  int* last = &more[count - 1];
  return *kept + *last;
}

static int compare(const void* one, const void* other) {
  int left = *(const int*)one, right = *(const int*)other;
  int* smaller = left < right ? &left : &right;
  return smaller == &left ? -1 : left != right;
}

NOINLINE static void jump(int* counter) {
  struct item item = {.value = 1, .next = NULL};
  list = &item;
  *counter += list->value;
  longjmp(back, 1);
}

NOINLINE static int jumps(void) {
  volatile int times = 0;
  int counter = 0;
  int* pointer = &counter;
  if (setjmp(back) == 0) jump(pointer);
  times = times + 1;
  return *pointer + times;
}

NOINLINE static int is_used(int* pointer) {
  return *pointer;  // wrong: reads the dead stack
}

NOINLINE static void is_written(void) {
  *kept = 5;  // wrong: writes the dead stack
}

int main(void) {
  int numbers[] = {5, 3, 9, 1};
  qsort(numbers, 4, sizeof *numbers, compare);
  int total = nested(4) + through_arrays(numbers[1]) + jumps() + numbers[3];
  list = NULL;
  keep(total);
  total += is_used(kept);
  is_written();
  name(total);
  total += (int)strlen(text);  // wrong: reads the dead stack
  printf("%d\n", total != 0);
  return 0;
}
