// Puts text out through functions that only hand it on, and through one that looks at it: "[12] no!\n" is
// expected, and with the argument yes "[21] yes\n".
#include <stdio.h>
#include <string.h>

struct stream {
  FILE* file;
  int lines;
};

static void put(struct stream* stream, const char* text, size_t length) {
  if (stream->file) fwrite(text, 1, length, stream->file);
  for (size_t i = 0; i < length; ++i) stream->lines += text[i] == '\n';
}

static void put_text(struct stream* stream, const char* text) {
  put(stream, text, strlen(text));
}

static void put_answer(struct stream* stream, const char* answer) {
  if (answer[0] != '-') put_text(stream, answer);
}

static void put_number(struct stream* stream, int number) {
  char text[16];
  snprintf(text, sizeof text, "[%d] ", number);
  put_text(stream, text);
}

int main(int argc, char** argv) {
  char answer[4];
  snprintf(answer, sizeof answer, "%s", argv[argc - 1][0] == 'y' ? "no" : "no!");
  struct stream stream = {stdout, 0};
  put_number(&stream, 21);
  put_answer(&stream, answer);
  put_text(&stream, "\n");
  return argc > 5;
}
