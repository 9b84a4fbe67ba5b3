// With -DPLUGIN the plugin, which fails: nothing is known of what happens there.
#ifdef PLUGIN
int *counts;

int apply(char *text) {
  for (; *text; text++) counts[(unsigned char)*text]++;
  return counts['a'];
}
#else
#include <dlfcn.h>
#include <stdio.h>

static int (*filters[4])(char *);
static int used;

int main(int argc, char **argv) {
  char text[] = "a text";
  void *plugin = dlopen(argv[1], RTLD_NOW);
  if (!plugin) return 3;
  filters[used++] = (int (*)(char *))dlsym(plugin, "apply");
  for (int i = 0; i < used; i++) printf("%d\n", filters[i](text));  // calls
  return 0;
}
#endif
