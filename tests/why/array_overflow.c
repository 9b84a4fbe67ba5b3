/* Looks at the number of words after they were stored: too many of them damage the total before. */
#include <stdio.h>
#include <string.h>

#define MOST 4

static struct {
  int lengths[MOST];
  int total;
} table;

int main(void) {
  static const char* const words[] = {"one", "two", "three", "four", "five", "six"};
  int count = 0;
  table.total = 100;
  while (count < 5) {
    table.lengths[count] = (int)strlen(words[count]);
    count++;
  }
  printf("total %d\n", table.total);
  return table.total == 100 ? 0 : 2;
}
