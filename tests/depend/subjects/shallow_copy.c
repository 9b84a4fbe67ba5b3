// ED fig. 3.3: the pointer that is freed twice came through a shallow copy.
#include <stdlib.h>
struct attribute {
  char *php;
};
static void *MemAlloc(size_t bytes) {
  void *p;
  p = malloc(bytes);
  return p;
}
static struct attribute *NewAttribute(void) {
  struct attribute *made = MemAlloc(sizeof *made);
  made->php = MemAlloc(8);
  return made;
}
static struct attribute *DupAttrs(struct attribute *attrs) {
  struct attribute *newattrs = MemAlloc(sizeof *newattrs);
  *newattrs = *attrs;
  return newattrs;
}
static void FreeAttrs(struct attribute *av) {
  void *ptr = av->php;
  free(ptr);
}
int main(void) {
  struct attribute *one = NewAttribute();
  struct attribute *two = DupAttrs(one);
  FreeAttrs(two);
  return 0;
}
// chain: --at 22 --var ptr => 22 18 13 9 8
