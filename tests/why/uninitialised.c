// Reads a counter that was never set in a block that was used before: "new" is expected.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
  char name[24];
  int logins;
};

static struct session* open_session(const char* name) {
  struct session* session = malloc(sizeof *session);
  strcpy(session->name, name);
  return session;
}

int main(void) {
  char* old = malloc(sizeof(struct session));
  memset(old, 3, sizeof(struct session));
  free(old);
  struct session* session = open_session("bob");
  if (session->logins > 0) {
    puts("known");
  } else {
    puts("new");
  }
  return 0;
}
