// It puts out nothing, and says why on standard error; several threads, so that no altered run gets far.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static size_t most;

static void* set_up(void* given) {
  most = 8;
  return given;
}

static int words_in(const char* text) {
  int words = 1;
  for (; *text; ++text) words += *text == ' ';
  return words;
}

static void complain(const char* text) {
  fprintf(stderr, "says_why_not: too long: %s\n", text);
}

static void count(const char* text) {
  if (strlen(text) > most) {
    complain(text);
    return;
  }
  printf("%d words\n", words_in(text));
}

int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, set_up, NULL);
  pthread_join(thread, NULL);
  for (int i = 1; i < argc; ++i) count(argv[i]);
  return 0;
}
