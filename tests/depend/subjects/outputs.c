// Criteria that are bytes of the output, through stdio, through buffers of the program's own, and past them.
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char pending[64];
static int length;
static void add(char byte) { pending[length++] = byte; }
int main(int argc, char **argv) {
  int one = argc + 4;
  int other = argc + 7;
  const char *word = argc > 3 ? "never" : "word";
  printf("%d, %s: %d\n", one, word, other);
  putchar('a' + one);
  fputs(word, stdout);
  fprintf(stderr, "%c%c", 'x', 'a' + other);
  fflush(stdout);
  for (int i = 0; i < 4; i++) {
    add('0' + i * one);
  }
  pending[2] = '!';
  write(1, pending, length);
  return 0;
}
// The output is "5, word: 8\nfword" and "05!?".
// slice: --at stdout:0 --no-control => 8 9 12
// slice: --at stdout:1 --no-control => 12
// slice: --at stdout:4 --no-control => 8 11 12
// slice: --at stdout:9 --no-control => 8 10 12
// slice: --at stdout:10 --no-control => 12
// slice: --at stdout:11 --no-control => 8 9 13
// slice: --at stdout:12 --no-control => 8 11 14
// slice: --at stdout:16 --no-control --no-address => 7 8 9 17 18 21
// slice: --at stdout:18 --no-control --no-address => 20 21
// slice: --at stderr:0 --no-control => 15
// slice: --at stderr:1 --no-control => 8 10 15
