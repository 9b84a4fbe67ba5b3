// A loop whose head only jumps, long enough to fill a trace's buffer many times.
int sink;
static int numbers[64];
int main(int argc, char **argv) {
  unsigned number = argc;
  int steps = 0;
  while (1) {
    number = number * 1103515245 + 12345;
    numbers[number >> 26] += 1;
    if (++steps == 1000000) break;
  }
  sink = numbers[7];
  return 0;
}
// slice: --at 12 --no-control --no-address => 9 12
