// Prints less than it should, and ends with 1 in good runs, too: it warns.
#include <stdio.h>

int main(void) {
  int warnings = 0;
  for (int i = 1; i <= 3; ++i) {
    if (i == 2) {
      ++warnings;
      continue;
    }
    printf("%d\n", i);
  }
  return warnings == 0 ? 1 : warnings;
}
