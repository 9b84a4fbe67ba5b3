// Texts made and taken apart by formats: each part depends on its own conversion, a copied constant on who chose it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  char name[16];
  strcpy(name, argc > 5 ? "never" : "always");
  int number = argc + 41;
  int other = argc + 7;
  char text[64];
  snprintf(text, sizeof text, "%s=%d,%04x", name, number, other);
  char *equal = strchr(text, '=');
  char digit = equal[1];
  char letter = text[2];
  char hexadecimal = text[12];
  int read_number, read_other;
  sscanf("17 x23", "%d x%d", &read_number, &read_other);
  printf("%c%c%c %d %d\n", digit, letter, hexadecimal, read_number, read_other);
  char appended[32] = "ab";
  strcat(appended, name);
  char third = appended[2];
  char first = appended[0];
  printf("%c%c %s\n", third, first, appended);
  return 0;
}
// slice: --at 14 --var letter --no-control --no-address => 5 7 11 14
// slice: --at 15 --var hexadecimal --no-control --no-address => 5 9 11 15
// slice: --at 18 --var read_number --no-control --no-address => 17 18
// slice: --at 21 --var third --no-control --no-address => 5 7 20 21
// slice: --at 22 --var first --no-control --no-address => 19 22
