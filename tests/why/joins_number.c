// Of two texts that are measured in one statement the second is a number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { kNumber, kText };

struct value {
  enum kind kind;
  union {
    long number;
    const char *text;
  } is;
};

static char *join(const struct value *left, const struct value *right) {
  char *joined = malloc(strlen(left->is.text) + strlen(right->is.text) + 1);  // crash
  strcpy(joined, left->is.text);
  return strcat(joined, right->is.text);
}

int main(int argc, char **argv) {
  (void)argv;
  struct value name = {kText, {.text = "items: "}}, count = {kNumber, {0}};
  count.is.number = 70000 + argc;  // origin
  puts(join(&name, &count));
  return 0;
}
