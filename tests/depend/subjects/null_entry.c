// ED fig. 3.4: the null pointer that strlen is given came from savedir.
#include <string.h>
static char *savedir(const char *name) {
  if (name[0] == 'x') {
    return 0;
  }
  return "entry";
}
static char *get_directory_contents(const char *name) {
  char *dirp = savedir(name);
  return dirp;
}
int main(int argc, char **argv) {
  char *entry = get_directory_contents("x");
  size_t length = strlen(entry);
  return (int)length;
}
// chain: --at 15 --var entry => 15 14 11 10 8 5
// slice: --crash => 3 4 5 8 9 10 11 14 15
