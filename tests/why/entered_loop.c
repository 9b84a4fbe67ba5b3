/* A loop whose test is wrong never gets to what it would read; when it is entered all the same, that is there. */
#include <stdio.h>
#include <stdlib.h>
struct vector {
  int size;
  long* elements;
};

static long sum(struct vector* v, int limit) {
  long result = 0;
  for (int i = 0; i < limit; i++) {
    result += v->elements[i];
  }
  return result;
}

int main(int argc, char** argv) {
  long numbers[] = {4, 5, 6};
  struct vector v = {3, numbers};
  int limit = argc > 1 ? 3 : 0;
  printf("%ld\n", sum(&v, limit));
  return 0;
}
