// Standard output by other names, and bytes that go elsewhere by its own.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int one = 'a' + argc, two = 'b' + argc, three = 'c' + argc;
  int four = 'd' + argc, five = 'e' + argc, six = 'f' + argc, lost = 'x' + argc;
  setvbuf(stdout, NULL, _IONBF, 0);
  int copy = fcntl(dup(STDOUT_FILENO), F_DUPFD, 20);
  char letter = (char)one;
  write(copy, &letter, 1);
  FILE *again = fdopen(copy, "w");
  fputc(two, again);
  fclose(again);
  FILE *named = fopen("/dev/stdout", "w");
  fputc(three, named);
  fclose(named);
  int error = dup(STDERR_FILENO), saved = dup(STDOUT_FILENO);
  dup2(error, STDOUT_FILENO);
  putchar(four);
  dup2(saved, STDOUT_FILENO);
  putchar(five);
  FILE *file = freopen("/dev/null", "w", stdout);
  if (!file) return 1;
  putchar(lost);
  letter = (char)lost;
  write(STDOUT_FILENO, &letter, 1);
  letter = (char)six;
  write(saved, &letter, 1);
  return 0;
}
// slice: --at stdout:0 --no-control --no-address => 6 7 11 12
// slice: --at stdout:1 --no-control --no-address => 6 7 14
// slice: --at stdout:2 --no-control --no-address => 6 7 17
// slice: --at stderr:0 --no-control --no-address => 6 8 21
// slice: --at stdout:3 --no-control --no-address => 6 8 23
// slice: --at stdout:4 --no-control --no-address => 6 8 29 30
