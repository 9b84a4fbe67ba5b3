// An interpreter's loop: left in several ways, so that every iteration's branch stays open until the end.
#include <stdio.h>
#include <stdlib.h>

static unsigned total;

static int act(unsigned n) {
  total = total * 31 + n;  // POINT act
  return total % 1000003 == 5;
}

static int interpret(const char* code, unsigned steps) {
  for (unsigned step = 0;;) {
    switch (code[step % 7]) {
      case 'a':
        if (++step > steps) return 1;
        act(1);
        break;
      case 'b':
        if (act(2)) return 2;
        ++step;
        break;
      case 'c':
        ++step;
        act(step);
        continue;
      default:
        if (step > 2 * steps) return 3;
        step += 2;
        act(4);
    }
  }
}

int main(int argc, char** argv) {
  int way = interpret(argc > 2 ? argv[2] : "abcadab", (unsigned)atoi(argv[1]));
  printf("%d %u\n", way, total);
  return 0;
}
