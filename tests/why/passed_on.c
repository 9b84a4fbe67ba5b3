// A number goes through a table and a stack, and is formatted, before it is put out: "3\n" is expected.
#include <stdio.h>

static long stack[8], table[8];
static int top;

static void push(long value) {
  stack[top++] = value;
}

static long pop(void) {
  return stack[--top];
}

static void fetch(int place) {
  push(table[place]);
}

static void put(int place) {
  table[place] = pop();
}

static void shift(int from, int to) {
  fetch(from);
  put(to);
}

static long add(long one, long other) {
  return one + other;
}

int main(int argc, char** argv) {
  table[argc + 1] = add(argc, 3);
  shift(argc + 1, argc);
  char text[16];
  snprintf(text, sizeof text, "%ld", table[argc]);
  puts(text);
  return 0;
}
