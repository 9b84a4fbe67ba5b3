// Prints a wrong value for b, 2 where 5 is expected; no other branch gives 5.
#include <stdio.h>

static int value_of(char key) {
  switch (key) {
    case 'a':
      return 1;
    case 'b':
      return 2;
    default:
      return 3;
  }
}

int main(void) {
  int a = value_of('a'), b = value_of('b'), c = value_of('c');
  printf("a: %d\nb: %d\nc: %d\n", a, b, c);
  return 0;
}
