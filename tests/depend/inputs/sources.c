// Where inputs come from: arguments, the environment, files by descriptor, by stream and by both, moved positions, copies, mapped
// files, and what a library function makes of them.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **arguments) {
  char text[32], copy[32];
  char argument = arguments[1][4];
  char variable = getenv("SUBJECT_VALUE")[1];
  FILE *file = fopen(arguments[1], "r");
  int first = getc(file);
  fseek(file, 6, SEEK_SET);
  int sixth = getc(file);
  ungetc(sixth, file);
  if (!fgets(text, sizeof text, file)) return 1;
  fclose(file);
  strcpy(copy, text);
  char copied = copy[2];
  int descriptor = open(arguments[1], O_RDONLY);
  lseek(descriptor, 3, SEEK_SET);
  char third;
  read(descriptor, &third, 1);
  char *mapped = mmap(0, 8, PROT_READ, MAP_PRIVATE, descriptor, 0);
  char fifth = mapped[5];
  int number = 0, other = 0;
  char word[8];
  if (scanf("%d,%3s %d", &number, word, &other)) {}
  char letter = word[1];
  int converted = atoi(arguments[2]);
  char made[16];
  snprintf(made, sizeof made, "%d", number);
  char digit = made[0];
  int conjunction = number && other;
  FILE *again = fopen(arguments[1], "r");
  char tenth[10];
  read(fileno(again), tenth, 10);
  int last = tenth[9];
  puts(copy);
  if (last == 0) return 2;
  return argument + variable + first + copied + third + fifth + letter + other + converted + digit + conjunction;
}
// arguments: FILE 42
// environment: SUBJECT_VALUE=xyz
// file: abcdefghijk
// stdin: 120,wxyz
// bytes: --at 11 => {t=} {} {}
// bytes: --at 12 => {y=} {} {}
// bytes: --at 14 => {a=} {} {i n p u t . t x t \0}
// bytes: --at 16 => {g=} {} {i n p u t . t x t \0}
// bytes: --at 21 => {i=} {} {i n p u t . t x t \0}
// bytes: --at 26 --var third => {d=} {} {i n p u t . t x t \0}
// bytes: --at 27 => {f=} {} {i n p u t . t x t \0}
// What follows the first decision to go on is influenced by it: fgets would have had no line of another file.
// ranges: --at 34 --var number => {120} {} {input.txt\0}
// ranges: --at 31 => {x} {} {input.txt\0}
// ranges: --at 32 => {42\0} {} {input.txt\0}
// ranges: --at 35 => {120} {} {input.txt\0}
// ranges: --at 36 --var conjunction => {} {120} {input.txt\0}
// bytes: --at 40 => {j=} {} {i n p u t . t x t \0}
