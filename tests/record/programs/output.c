// Output without a buffer: which function of the C library writes it decides from which memory.
#include <stdio.h>

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("one\n");
  printf("%s\n", "two");
  printf("%c", '3');
  fprintf(stdout, "\n");
  fprintf(stdout, "%s", "four");
  fputs("\n", stdout);
  fputs("five\n", stdout);
  const int all = printf("six%c", '\n');
  fwrite("7", 1, 1, stdout);
  puts("");
  fprintf(stderr, "\n");
  return all == 4 ? 0 : 1;
}
