// A connection is given back by one timer, and used by the next: its peer is what free left there.
#include <stdio.h>
#include <stdlib.h>

struct connection {
  int number;
  const char *peer;
  void (*on_ping)(struct connection *);
};

struct timer {
  void (*fire)(struct connection *);
  struct connection *argument;
};

static void say(struct connection *of) {
  printf("%d: ping %s\n", of->number, of->peer);
}

static void on_ping(struct connection *of) {
  const char *peer = of->peer;
  if (peer[0] != '\0') of->on_ping(of);  // crash
}

static void on_idle(struct connection *of) {
  printf("%d: close\n", of->number);
  free(of);  // origin
}

int main(int argc, char **argv) {
  (void)argv;
  struct connection *of = malloc(sizeof(*of));
  *of = (struct connection){argc, "10.0.0.1:4000", say};
  const struct timer timers[] = {{on_ping, of}, {on_idle, of}, {on_ping, of}};
  for (int each = 0; each < 3; ++each) timers[each].fire(timers[each].argument);
  return 0;
}
