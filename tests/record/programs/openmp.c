// A reduction by libgomp.
#include <stdio.h>

int main(void) {
  double sum = 0;
  for (int round = 0; round < 20; round++) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10000; i++) sum += 1.0 / (i + 1 + round);
  }
  printf("%.17g\n", sum);
  return 0;
}
