#include <stdio.h>
#include <stdlib.h>

static int price_of(int item) {
  int price = item * 10;
  if (item == 2) price = -5; /* <wrong> */
  return price;
}

int main(void) {
  int total = 0;
  for (int item = 1; item <= 3; item++) {
    total += price_of(item);
  }
  printf("%d\n", total);
  if (total != 60) abort();
  return 0;
}
