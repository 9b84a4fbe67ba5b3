// The check of the divisor forgets that the least number divided by -1 does not fit.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn)) static void give_up(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(2);
}

static long divide(long number, long divisor) {
  if (divisor == 0) give_up("division by zero");
  return number / divisor;
}

int main(int argc, char** argv) {
  (void)argv;
  printf("%ld\n", divide(LONG_MIN, argc - 2));
  return 0;
}
