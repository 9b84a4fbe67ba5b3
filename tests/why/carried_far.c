/* A number is copied from element to element of a long array before it fails, so its way is as long as that. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { kNumbers = 200000 };
  static const char* const names[] = {NULL, "one", "two"};
  volatile int* numbers = malloc((kNumbers + 1) * sizeof(int));
  numbers[0] = 0;  // origin
  for (int i = 0; i < kNumbers; ++i) numbers[i + 1] = numbers[i];
  const int last = numbers[kNumbers];
  printf("%d of %c\n", 10 / last, names[1][0]);  // crash
  return 0;
}
