// What cannot be recorded reaches one variable.
#include <stdio.h>

static char before[300];
unsigned long long chance;
static char after[300];

__attribute__((target("rdrnd"), noinline)) static void draw(void) {
  for (int tries = 0; tries < 100 && !__builtin_ia32_rdrand64_step(&chance); tries++) {}
}

int main(int count, char** words) {
  if (!__builtin_cpu_supports("rdrnd")) return 77;
  draw();
  before[count] = after[count] = words[0][0];
  return puts("drawn") < 0;
}
