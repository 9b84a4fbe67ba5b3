// An ifunc whose resolver calls functions of the program; it runs before thread-local storage is ready.
// EXPECT: chosen 42 via pointer 42
// EXPECT: level 3
#include <stdio.h>

static int probe(int n) {
  int level = 0;
  while (n > 1) n /= 10, level++;
  return level;
}

static int choose_level(void) { return probe(1000); }
static int generic(int x) { return x; }
static int special(int x) { return x * 2; }

static int (*resolve(void))(int) { return choose_level() == 3 ? special : generic; }
int multiply(int) __attribute__((ifunc("resolve")));

int main(void) {
  int (*volatile pointer)(int) = multiply;
  printf("chosen %d via pointer %d\n", multiply(21), pointer(21));
  printf("level %d\n", choose_level());
  return 0;
}
