// EPID figure 9 b: a loop with two headers, of which one makes it natural. The letters of the argument say which way is
// taken: where there is a choice, the next one.
#include <stdio.h>

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "BCDBCDE";
  switch (*way++) {
    case 'B': goto b;
    default: goto d;
  }
b:
  putchar('B');
  putchar('C');  // POINT c
  if (*way++ == 'E') goto e;
d:
  putchar('D');
  if (*way++ == 'E') goto e;
  goto b;
e:
  puts("E");
  return 0;
}
