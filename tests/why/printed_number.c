// A wrong number is printed by a function that computes longer than what made the number.
#include <stdio.h>
#include <string.h>

static void print_number(long number) {
  char digits[32];
  int count = 0;
  long rest = number < 0 ? -number : number;
  do {
    const long tens = rest / 10;
    digits[count++] = (char)('0' + (rest - tens * 10));
    rest = tens;
  } while (rest != 0);
  if (number < 0) digits[count++] = '-';
  while (count > 0) putchar(digits[--count]);
  putchar('\n');
}

static long characters_before(const char* text, const char* part) {
  return part - text;
}

int main(void) {
  static const char kText[] = "\xce\xb1\xce\xb2,b";  // two letters of two bytes
  print_number(characters_before(kText, strchr(kText, ',')));
  return 0;
}
