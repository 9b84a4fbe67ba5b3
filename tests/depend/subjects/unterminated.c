// Strings that end with the memory, not with a zero.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv) {
  const long page = 4096;
  char *memory = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(memory + page, page);
  char *field = memory + page - 4;
  field[0] = 'a';
  field[1] = 'b';
  field[2] = 'c' + argc;
  field[3] = 'd';
  char copy[16] = "";
  strncpy(copy, field, 4);
  char third = copy[2];
  int same = strncmp(field, copy, 4);
  size_t length = strnlen(field, 4);
  char printed[16];
  snprintf(printed, sizeof printed, "%.*s", 4, field);
  char last = printed[3];
  size_t beyond = strnlen(memory + page - 1, 1);
  printf("%c %d %zu %c %zu\n", third, same, length, last, beyond);
  return 0;
}
// slice: --at 16 --var third --no-control --no-address => 5 12 15 16
// slice: --at 21 --var last --no-control --no-address => 13 20 21
