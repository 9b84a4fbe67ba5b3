// `sum` begins with nothing: "total 6" is expected.
#include <stdio.h>

static int total(const int* numbers, int count) {
  int sum;
  for (int i = 0; i < count; ++i) sum += numbers[i];
  return sum;
}

int main(void) {
  const int numbers[] = {1, 2, 3};
  printf("total %d\n", total(numbers, 3));
  return 0;
}
