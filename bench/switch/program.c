// Computes for as many turns as its argument says, then takes the branches that a measurement switches.
#include <stdio.h>
#include <stdlib.h>

static unsigned stir(unsigned number) {
  return number % 3 == 0 ? number / 3 : number * 5 + 1;
}

int main(int argc, char** argv) {
  const long turns = argc > 1 ? atol(argv[1]) : 0;
  unsigned number = 1;
  for (long turn = 0; turn < turns; ++turn) number = stir(number + (unsigned)turn);
  int odd = 0;
  for (int bit = 0; bit < 200; ++bit) {
    if (number >> (bit % 32) & 1) ++odd;
  }
  printf("%d\n", odd);
  return 0;
}
