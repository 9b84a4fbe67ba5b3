// Loops over rows whose pointers and counters are declared before they have values: only what is loaded is recorded.
int sink;
static void fill(int **rows, int count, int width) {
  int i, k, *row, *above;
  for (i = 1; i <= count; i++) {
    row = rows[i];
    above = rows[i - 1];
    for (k = 1; k <= width; k++) {
      row[k] = above[k - 1] + 3;
      if (above[k] > row[k]) row[k] = above[k];
    }
  }
}
int main(int argc, char **argv) {
  static int cells[2][64];
  int *rows[2] = {cells[0], cells[1]};
  cells[0][59] = argc + 7;
  fill(rows, 1, 60);
  sink = cells[1][60];
  return 0;
}
// addresses: at most 100 bytes
// slice: --at 19 --no-control --no-address => 9 14 17 19
