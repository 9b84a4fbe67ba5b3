// Says what it does not like and ends with a status from main(): no call ends it.
#include <stdio.h>

static int errors;

static void complain(const char* about) {
  ++errors;
  fprintf(stderr, "ends_with_status: %s\n", about);
}

static int limit(int argc) {
  return argc > 5 ? 9 : 3;
}

int main(int argc, char** argv) {
  int sum = 0;
  for (int i = 1; i < argc; ++i) {
    sum += argv[i][0] - '0';
    if (sum > limit(argc)) complain("the sum is too large");
  }
  printf("%d\n", sum);
  return errors ? 2 : 0;
}
