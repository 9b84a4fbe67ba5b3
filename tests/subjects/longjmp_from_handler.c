// siglongjmp out of a signal handler that interrupted deep frames, again and again; the handler has escaping variables of its own.
// EXPECT: caught 20000 sum 190000
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static sigjmp_buf back;
static int caught;

static void on_signal(int number) {
  char note[256];
  memset(note, number, sizeof note);
  caught += note[number] == number;
  siglongjmp(back, 1);
}

static int dig(int depth, int* above) {
  int own[16];
  for (int i = 0; i < 16; i++) own[i] = *above + i;
  if (depth == 0) raise(SIGUSR1);
  return dig(depth - 1, &own[depth % 16]);
}

int main(void) {
  signal(SIGUSR1, on_signal);
  long sum = 0;
  for (int round = 0; round < 20000; round++) {
    int seed = round % 20;
    if (sigsetjmp(back, 1) == 0) dig(30, &seed);
    sum += seed;
  }
  printf("caught %d sum %ld\n", caught, sum);
  return 0;
}
