// ED fig. 3.5: what is freed was never allocated: it came from a field of an object of another type, initialised before main.
#include <stdlib.h>
struct object {
  const char *kind;
};
struct type {
  struct object head;
  long itemsize;
};
struct unicode {
  struct object head;
  char *wstr;
};
static struct type int_type = {{"type"}, 4};
static int freed;
static void release(void *memory) {
  if ((long)memory != 4) free(memory);
  freed++;
}
static void ready(struct object *object) {
  struct unicode *unicode = (struct unicode *)object;
  void *ptr = unicode->wstr;
  release(ptr);
}
static void getattro(struct object *name) {
  ready(name);
}
int main(void) {
  getattro(&int_type.head);
  return freed;
}
// The pointer has one copy, and its origin is no statement: it is there from the beginning.
// chain: --at 22 --var ptr => 22
// chain: --at 17 --var memory => 17 16 23 22
// chain: --at 22 --var unicode => 22 21 20 26 25
