// Prints a name after its memory was given back and used again: "alice" is expected.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user {
  char* name;
};

static void forget(struct user* user) {
  free(user->name);
}

int main(void) {
  struct user user = {malloc(16)};
  strcpy(user.name, "alice");
  forget(&user);
  char* other = malloc(16);
  strcpy(other, "mallory");
  printf("%s\n", user.name);
  free(other);
  return 0;
}
