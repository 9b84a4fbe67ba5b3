// A reader of brackets that goes as deep as its input; a walk over a list that is a ring; a call with what it was given.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Node {
  struct Node* next;
  int value;
};

static const char* at;
static size_t length;

static int value(void);

static int list(int level) {
  int sum = level;
  while (*at == '[') sum += value();
  if (*at == ']') ++at;
  return sum;
}

static int value(void) {
  if (*at == '[') {
    ++at;
    return list(1);
  }
  return 0;
}

static int total(const struct Node* node) {
  if (node == NULL) return 0;
  return node->value + total(node->next);
}

static int forever(int same) {
  if (same == 0) return 0;
  return forever(same) / same + forever(same - same);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "ring") == 0) {
    struct Node one = {NULL, 1}, two = {&one, 2};
    one.next = &two;
    printf("%d\n", total(&one));
    return 0;
  }
  if (argc > 1) {
    printf("%d\n", forever(atoi(argv[1])));
    return 0;
  }
  for (length = 0; length < 10; ++length) {
    if (getenv("SHORT")) return 0;
  }
  char* text = malloc(8000001);
  if (text == NULL) return 0;
  memset(text, '[', 8000000);
  text[8000000] = '\0';
  at = text;
  printf("%d\n", value());
  return 0;
}
