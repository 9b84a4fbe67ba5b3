// regcomp copies tokens with unused bytes from the machine stack to the heap. Frames of the program's own differ between
// plans, and so does what lies there.
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

static double values[24];

/// Holds many values at once, so that the size of its frame depends on where variables live.
__attribute__((noinline)) static int search(const char* pattern, const char* text, regmatch_t* match) {
  double kept[24];
  for (int each = 0; each < 24; each++) kept[each] = values[each] * each;
  regex_t expression;
  if (regcomp(&expression, pattern, 0) != 0) return -1;
  const int found = regexec(&expression, text, 2, match, 0);
  for (int each = 0; each < 24; each++) values[each] = kept[each] + found;
  return found;
}

int main(void) {
  regmatch_t match[2];
  for (int each = 0; each < 24; each++) {
    char text[40];
    snprintf(text, sizeof text, "%d.%d", each, each * 7);
    values[each] = strtod(text, 0);
  }
  regex_t before;
  if (regcomp(&before, "\\([0-9]*\\.\\)[a-z]*", 0) != 0 || regexec(&before, "12.abc", 2, match, 0) != 0) return 1;
  if (search("o", "a long one here", match) != 0 || search("\\(o[a-n]*\\)e", "a long one here", match) != 0) return 2;
  printf("%d %d %g\n", (int)match[1].rm_so, (int)match[1].rm_eo, values[7]);
  return 0;
}
