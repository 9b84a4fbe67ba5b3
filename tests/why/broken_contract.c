// A queue's functions demand that something is in it; of their callers, one does not look.
#include <assert.h>
#include <stdio.h>

static int queue[4];
static int size;

static int is_empty(void) {
  return size == 0;
}

static void put(int value) {
  queue[size++] = value;
}

static int take(void) {
  assert(!is_empty());
  return queue[--size];
}

static int take_twice(void) {
  const int first = take();
  return first + take();
}

static int sum(const char* program) {
  int total = 0;
  for (; *program != '\0'; ++program) {
    switch (*program) {
      case 'p':
        put(*program);
        break;
      case 't':
        if (!is_empty()) total += take();
        break;
      case 'd':
        total += take_twice();
        break;
    }
  }
  return total;
}

int main(void) {
  printf("%d\n", sum("pptpptttd"));
  return 0;
}
