// A function gets a null pointer from one that it calls, and gives it to others that want none.
#include <stdio.h>
#include <string.h>

struct name {
  const char *text;
  size_t length;
};

static const char *expanded(const char *text) {
  size_t at = strspn(text, " ");
  if (text[at] == '\0') return NULL;
  return text + at;
}

static size_t measured(const char *text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

static struct name made_of(const char *text) {
  struct name name = {text, measured(text)};
  return name;
}

static size_t evaluate(const char *text) {
  const char *value = expanded(text);
  struct name name = made_of(value);  // gives it
  return name.length;
}

int main(void) {
  printf("%zu\n", evaluate(" one"));
  printf("%zu\n", evaluate("  "));
  return 0;
}
