// Its own executable crashes: `text` holds what another function left on the machine's stack. Where variables whose
// addresses are known lie elsewhere, there is nothing.
#include <stdio.h>

struct eight {
  long a, b, c, d, e, f, g, h;
};

static char** last;

__attribute__((noinline)) static void fill(struct eight* all, long value) {
  all->a = all->b = all->c = all->d = value;
  all->e = all->f = all->g = all->h = value;
}

__attribute__((noinline)) static long sum_of(const struct eight* all) {
  return all->a + all->b + all->c + all->d + all->e + all->f + all->g + all->h;
}

__attribute__((noinline)) static long leave_something(long value) {
  struct eight all;
  fill(&all, value);
  return sum_of(&all);
}

__attribute__((noinline)) static void shorten(char** slot) {
  last = slot;
  if (*slot != NULL) **slot = '\0';
}

__attribute__((noinline)) static void use(void) {
  char* text;
  shorten(&text);
}

int main(void) {
  if (leave_something(0x7777777777777777) == 0) return 1;
  use();
  puts("done");
  return 0;
}
