// Fields of a line by their numbers: "bb" is expected, and then "dddd".
#include <stdio.h>
#include <string.h>

struct field {
  const char* text;
  size_t length;
};

static struct field field_of(const char* line, int number) {
  struct field found = {line, 0};
  while (number > 1 && *found.text) {
    if (*found.text++ == ',') --number;
  }
  const char* end = strchr(found.text, ',');
  if (end == NULL) end = found.text + strlen(found.text);
  found.length = end - found.text + 1;
  return found;
}

static void show(struct field field) {
  fwrite(field.text, 1, field.length, stdout);
  putchar('\n');
}

int main(void) {
  char line[] = "a,bb,ccc,dddd";
  show(field_of(line, 2));
  show(field_of(line, 4));
  return 0;
}
