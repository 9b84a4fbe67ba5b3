// Loops that are never left: their condition waits for what nobody writes, or for what is written by a step of 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int done;
static unsigned long turns;

static void work(const char* text) {
  if (text[0] == 'x') done = 1;
  turns += strlen(text) & 1;
}

static int step_of(const char* text) {
  int step = atoi(text);
  return step / 2;
}

static unsigned long walk(const char* text) {
  int at = 0, step = step_of(text);
  unsigned long sum = 0;
  while (at < 10) {
    sum += (unsigned long)at;
    at += step;
  }
  return sum;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    printf("%lu\n", walk(argv[1]));
    return 0;
  }
  while (!done) {
    work("abc");
  }
  printf("%lu\n", turns);
  return 0;
}
