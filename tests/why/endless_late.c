// Does much before it comes into the loop that it does not leave, and a good run does much after it.
#include <stdio.h>

static unsigned work(void) {
  unsigned sum = 0;
  for (int i = 0; i < 600000; ++i) {
    if (i % 3 == 0) sum += (unsigned)i;
  }
  return sum;
}

int main(void) {
  unsigned sum = work();
  int left = 5;
  while (left != 0) {
    if (left > 5) --left;  // wrong: < 6
  }
  sum += work();
  printf("%u\n", sum);
  return 0;
}
