// Takes the wrong case of a switch: "circle" is expected.
#include <stdio.h>

static const char* name_of(int shape) {
  switch (shape & 3) {
    case 0:
      return "point";
    case 1:
      return "square";
    case 2:
      return "circle";
    default:
      return "?";
  }
}

int main(int argc, char** argv) {
  (void)argv;
  puts("shape:");
  puts(name_of(argc));
  return 0;
}
