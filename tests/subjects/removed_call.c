// A call that the optimiser removes, of a function that is in no library: the native link never sees it, but a body
// whose variables live in memory keeps the call.
// LEVELS: -O2
// EXPECT: nothing was missing
#include <stdio.h>

int missing_function(int);
extern int missing_variable;
__attribute__((visibility("hidden"))) int missing_hidden_function(int);

int main(void) {
  int enabled = 0;
  if (enabled) return missing_function(missing_variable) + missing_hidden_function(1);
  puts("nothing was missing");
  return 0;
}
