// A shared object, loaded at run time, that calls back into the program; dlsym of the program's own symbols.
// FLAGS: -rdynamic
// LINK: -ldl
// PLUGIN: plugin.c
// EXPECT: plugin says 42
// EXPECT: own symbol 5, same address
// EXPECT: static is not exported
#include <dlfcn.h>
#include <stdio.h>

int exported = 40;
int service(int x) { return exported + x; }
__attribute__((used)) static int not_exported(void) { return 1; }

int main(void) {
  void* plugin = dlopen("./plugin.so", RTLD_NOW);
  if (!plugin) return puts(dlerror()), 1;
  int (*run)(void) = (int (*)(void))dlsym(plugin, "run");
  printf("plugin says %d\n", run());
  void* self = dlopen(NULL, RTLD_NOW);
  int (*own)(int) = (int (*)(int))dlsym(self, "service");
  exported = 1;
  printf("own symbol %d, %s\n", own(4), own == service ? "same address" : "two addresses");
  puts(dlsym(self, "not_exported") ? "static is exported" : "static is not exported");
  return 0;
}
