// Weak functions: kept, overridden by another unit, undefined; aliases strong and weak; one of a static function.
// EXPECT: kept 1, overridden 20, undefined none
// EXPECT: alias 7 8, weak alias 7, alias of static 9
// EXPECT: alias is the function
// EXPECT: weak alias overridden 50
#include <stdio.h>

__attribute__((weak)) int kept(void) { return 1; }
__attribute__((weak, noinline)) int overridden(void) { return 2; }
extern int undefined(void) __attribute__((weak));

int original(int x) { return x; }
extern int aliased(int) __attribute__((alias("original")));
extern int weakly_aliased(int) __attribute__((weak, alias("original")));

static int hidden_function(void) { return 9; }
extern int of_static(void) __attribute__((alias("hidden_function")));

static int fallback(void) { return 5; }
extern int replaced_alias(void) __attribute__((weak, alias("fallback")));

int main(void) {
  printf("kept %d, overridden %d, undefined %s\n", kept(), overridden(), undefined ? "there" : "none");
  int (*volatile pointer)(int) = aliased;
  printf("alias %d %d, weak alias %d, alias of static %d\n", aliased(7), pointer(8), weakly_aliased(7), of_static());
  puts(pointer == original ? "alias is the function" : "two functions");
  printf("weak alias overridden %d\n", replaced_alias());
  return 0;
}
