// Strings that an optimiser replaces by characters, of a program that is linked without what it does not use: they are used by
// some of its bodies only.
// FLAGS: -ffunction-sections -fdata-sections -Wl,--gc-sections
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void print_path(const char* const* parts, int count) {
  for (int each = 0; each < count; ++each) {
    fputs("/", stdout);
    fputs(parts[each], stdout);
  }
  printf("\n");
}

int never_called(int number) {
  static const char* names[] = {"these", "are", "not", "there"};
  return (int)strlen(names[number]);
}

int main(void) {
  static const char* parts[] = {"one", "two", "after the strings that are used by some bodies only"};
  print_path(parts, 3);
  fputs("%", stdout);
  printf("%p %s\n", (void*)parts[2], strchr(parts[2], '\0') ? "found" : "none");
  return 0;
}
