// A value is overwritten where no branch decides anything; what does it can only be left out.
#include <stdio.h>

struct settings {
  int rate;
  int scale;
  int unused;
};

static void set_scale(struct settings* settings, int scale) {
  settings->scale = scale;
  settings->rate = 0;  // wrong
}

static int adapt(struct settings* settings) {
  settings->unused = settings->scale;
  set_scale(settings, 10);
  return settings->scale == 0;
}

int main(void) {
  struct settings settings = {3, 1, 0};
  const int failed = adapt(&settings);
  printf("rate %d\n", settings.rate * 100 + failed);
  return 0;
}
