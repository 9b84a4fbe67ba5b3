// Puts out a number through a pointer to a function of the library: "150" is expected. Nobody knows what such a call puts
// out of what it is given, but it is not the function that is wrong.
#include <stdio.h>

typedef int (*printer)(FILE*, const char*, ...);

static long clamp(double number) {
  if (number >= 100) return 100;  // wrong
  return (long)number;
}

int main(int argc, char** argv) {
  (void)argv;
  const printer print = argc > 1 ? NULL : fprintf;
  const long number = clamp(argc * 150);
  print(stdout, "%ld\n", number);
  return 0;
}
