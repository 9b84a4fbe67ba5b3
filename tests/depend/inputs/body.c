// ED fig. 4.5: strengths, and a value that is mapped to others.
#include <stdbool.h>
#include <unistd.h>
enum tag { OTHER, BODY };
static bool Parse(char *name) {
  bool seeBody;
  char *str;
  int cmp;
  int i;
  char c;
  enum tag tag;
  seeBody = false;
  str = "body";
  i = 0;
  c = name[i];
  while (c == str[i]) {
    if (c == '\0') {
      cmp = 0;
      break;
    }
    i++;
    c = name[i];
  }
  if (c != str[i]) {
    if (c > str[i])
      cmp = 1;
    else
      cmp = -1;
  }
  tag = OTHER;
  if (cmp == 0)
    tag = BODY;
  if (tag == BODY)
    seeBody = true;
  return seeBody;
}
int main(void) {
  char name[5];
  read(0, name, sizeof name);
  return Parse(name);
}
// stdin: body\0
// bytes: --at 12 => {} {} {}
// bytes: --at 14 => {} {} {}
// bytes: --at 15 => {b=} {} {}
// bytes: --at 16#1 => {b=} {} {}
// bytes: --at 17#1 => {b} {b=} {}
// bytes: --at 21#1 => {} {b} {}
// bytes: --at 22#1 => {o=} {b=} {b}
// bytes: --at 16#2 => {o=} {b=} {b}
// bytes: --at 17#2 => {o} {b=,o=} {b}
// bytes: --at 21#2 => {} {b,o} {b}
// bytes: --at 22#2 => {d=} {b=,o=} {b,o}
// bytes: --at 16#3 => {d=} {b=,o=} {b,o}
// bytes: --at 17#3 => {d} {b=,o=,d=} {b,o}
// bytes: --at 21#3 => {} {b,o,d} {b,o}
// bytes: --at 22#3 => {y=} {b=,o=,d=} {b,o,d}
// bytes: --at 16#4 => {y=} {b=,o=,d=} {b,o,d}
// bytes: --at 17#4 => {y} {b=,o=,d=,y=} {b,o,d}
// bytes: --at 21#4 => {} {b,o,d,y} {b,o,d}
// bytes: --at 22#4 => {\0=} {b=,o=,d=,y=} {b,o,d,y}
// bytes: --at 16#5 => {\0=} {b=,o=,d=,y=} {b,o,d,y}
// bytes: --at 17#5 => {\0=} {b=,o=,d=,y=,\0=} {b,o,d,y}
// bytes: --at 18 => {\0=} {b=,o=,d=,y=,\0=} {b,o,d,y}
// chains: --at 18 => \0=→0(cmp@18)
// bytes: --at 24 => {\0=} {b=,o=,d=,y=} {b,o,d,y}
// bytes: --at 30 => {} {} {}
// bytes: --at 31 => {\0=} {b=,o=,d=,y=,\0=} {b,o,d,y}
// chains: --at 31 => \0=→0(cmp@18)
// bytes: --at 32 => {\0=} {b=,o=,d=,y=,\0=} {b,o,d,y}
// chains: --at 32 => \0=→0(cmp@18)→BODY(tag@32)
// chains: --at 33 => \0=→0(cmp@18)→BODY(tag@32)
// bytes: --at 34 => {\0=} {b=,o=,d=,y=,\0=} {b,o,d,y}
// chains: --at 34 => \0=→0(cmp@18)→BODY(tag@32)→true(seeBody@34)
// bytes: --at 35 => {\0=} {b=,o=,d=,y=,\0=} {b,o,d,y}
// chains: --at 35 => \0=→0(cmp@18)→BODY(tag@32)→true(seeBody@34)
