/* Stores one word too many, notices afterwards that its table is wrong, and gives up; with the index kept inside it would
   notice, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4

static struct {
  int lengths[MOST];
  int total;
} table;

static int sum(void) {
  int result = 0;
  for (int each = 0; each < MOST; each++) result += table.lengths[each];
  return result;
}

static void give_up(void) {
  puts("the table is damaged");
  exit(2);
}

int main(void) {
  static const char* const words[] = {"one", "two", "three", "four", "seventeen"};
  table.total = 15;
  for (int each = 0; each < 5; each++) table.lengths[each] = (int)strlen(words[each]);
  if (sum() != table.total) give_up();
  return 0;
}
