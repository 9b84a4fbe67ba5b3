// EPID figure 9 c: a loop with the headers B, C and D, none of which makes it natural. The argument is the way.
#include <stdio.h>

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "BDCDCDCE";
  switch (*way++) {
    case 'B': goto b;
    case 'C': goto c;
    default: goto d;
  }
b:
  putchar('B');
  switch (*way++) {
    case 'C': goto c;
    case 'D': goto d;
    default: goto e;
  }
c:
  putchar('C');  // POINT c
  switch (*way++) {
    case 'B': goto b;
    case 'D': goto d;
    default: goto e;
  }
d:
  putchar('D');
  switch (*way++) {
    case 'B': goto b;
    case 'C': goto c;
    default: goto e;
  }
e:
  puts("E");
  return 0;
}
