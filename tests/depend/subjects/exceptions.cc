// What is computed after an exception was caught depends on what was thrown and on what decided to throw.
#include <cstdio>
static int checked(int value) {
  if (value > 2) {
    throw value * 3;
  }
  return value;
}
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 1; i < argc + 3; i++) {
    try {
      sum += checked(i);
    } catch (int wrong) {
      sum = wrong;
    }
  }
  std::printf("%d\n", sum);
  return 0;
}
// slice: --at 15 --var sum => 3 4 5 9 11 13 14 15 20
