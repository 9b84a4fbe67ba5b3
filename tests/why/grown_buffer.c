// A text is put together in a block that grows, in its place or elsewhere; one letter of it is wrong.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
  char* at;
  size_t used, room;
};

static void append(struct text* text, const char* piece, size_t bytes) {
  if (text->used + bytes + 1 > text->room) {
    text->room = (text->used + bytes + 1) * 2;
    text->at = realloc(text->at, text->room);
  }
  memmove(text->at + text->used, piece, bytes);
  text->used += bytes;
  text->at[text->used] = '\0';
}

static char letter(int i) {
  if (i == 5) return '_';
  return (char)('a' + i % 26);
}

int main(int argc, char** argv) {
  struct text text = {0};
  for (int i = 0; i < 60; ++i) {
    const char piece[2] = {letter(i), 0};
    append(&text, piece, 1);
    if (argc > 1) free(malloc(text.room));  // then it does not stay in its place
  }
  puts(text.at);
  return argv == NULL;
}
