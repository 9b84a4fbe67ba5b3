// A loop that waits for a pointer, which stays null; that it is null is what the loop tests, and no failure.
#include <stdio.h>
#include <string.h>

struct item {
  const char *name;
};

static const struct item items[] = {{"first"}, {"second"}};

int main(int argc, char **argv) {
  const char *wanted = argc > 1 ? argv[1] : "third";
  const struct item *found = NULL;
  unsigned rounds = 0;
  while (found == NULL) {
    const struct item *each = &items[rounds++ % 2];
    if (found != NULL && found->name[0] == 'x') continue;
    if (strcmp(each->name, wanted) == 0) {  // goes past
      found = each;
    }
  }
  puts(found->name);
  return 0;
}
