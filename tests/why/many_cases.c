// Three instructions are executed, of which the last one is wrong: it should be what the first one is. Of so many
// cases not all are tried; those that the switch came to before are.
#include <stdio.h>

static unsigned execute(const unsigned* codes, int count) {
  unsigned bits = 1;
  for (int i = 0; i < count; ++i) {
    bits <<= 1;
    switch (codes[i]) {
      case 0: bits += 1; break;
      case 1: bits += 10; break;
      case 2: bits += 20; break;
      case 3: bits += 30; break;
      case 4: bits += 40; break;
      case 5: bits += 50; break;
      case 6: bits += 60; break;
      case 7: bits += 70; break;
      case 8: bits += 80; break;
      case 9: bits += 90; break;
      case 10: bits += 100; break;
      case 11: bits += 110; break;
    }
  }
  return bits;
}

int main(void) {
  const unsigned codes[] = {11, 3, 2};
  printf("%u\n", execute(codes, 3));
  return 0;
}
