// The second of three numbers is not printed, but complained of, by a function of the library of whose words it is not
// known how long they are: the last line of the output is as expected.
#include <error.h>
#include <stdio.h>

static int largest(int argc) {
  return argc > 1 ? 9 : 4;
}

static void print(int number, int most) {
  if (number > most) {
    error(0, 0, "%d is too large", number);
    return;
  }
  printf("%d", number);
}

int main(int argc, char** argv) {
  (void)argv;
  const int numbers[] = {3, 7, 4};
  const int most = largest(argc);
  for (int i = 0; i < 3; ++i) {
    print(numbers[i], most);
    puts(" apples");
  }
  return 0;
}
