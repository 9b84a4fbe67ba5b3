// What realloc moves keeps who wrote it, as does what it leaves where it is; what it adds nobody wrote.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char *moved = malloc(8);
  char *between = malloc(8);
  moved[0] = (char)atoi("77");
  moved = realloc(moved, 4000);
  char *grown = malloc(8000);
  grown[0] = (char)atoi("71");
  grown = realloc(grown, 9000);
  grown[8001] = (char)atoi("72");
  char *shrunk = malloc(8000);
  shrunk[1] = (char)atoi("83");
  shrunk = realloc(shrunk, 6000);
  int first = moved[0];
  int second = grown[0];
  int third = shrunk[1];
  int fourth = grown[8001];
  printf("%d %d\n", first + second + third + fourth, moved == between);
  return 0;
}
// chain: --at 21 --var first => 21 17 9 8
// chain: --at 21 --var second => 21 18 11
// chain: --at 21 --var third => 21 19 15
// chain: --at 21 --var fourth => 21 20 13
// slice: --at 21 --var second --no-control --no-address => 11 18 21
