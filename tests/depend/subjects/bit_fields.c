// A bit-field is stored together with its neighbours, which are what they were.
#include <stdio.h>
struct flags {
  unsigned first : 3;
  unsigned second : 5;
};
int main(int argc, char **argv) {
  static struct flags flags;
  flags.first = argc + 1;
  flags.second = argc + 7;
  unsigned both = *(unsigned char *)&flags;
  printf("%u\n", both);
  return 0;
}
// slice: --at 12 => 7 9 10 11 12
