// Makes a folder and then fails by a number; once the folder is there it fails because of that.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int half_of(int number) {
  return number > 6 ? number * 50 : number / 2;
}

int main(int argc, char** argv) {
  if (mkdir("result", 0777) != 0) {
    fprintf(stderr, "leaves_a_file: there is a result\n");
    exit(2);
  }
  const int half = half_of(atoi(argv[argc - 1]));
  if (half > 100) {
    fprintf(stderr, "leaves_a_file: %d is too much\n", half);
    exit(1);
  }
  printf("%d\n", half);
  return 0;
}
