// Asks for the id of every point that it passes, and compares each with the one before.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/index/culprit_point.h"

static culprit_point_kind kind;
static culprit_point* last;
static unsigned long counts[4];  // before, equal, after, not said
static unsigned long hash;

static void passed(culprit_point* id, size_t bytes) {
  if (last) {
    const int order = culprit_point_order(last, id);
    if (culprit_point_equal(last, id) != (order == 0)) abort();
    ++counts[order == 2 ? 3 : order + 1];
    if (order != 2 && order != -culprit_point_order(id, last)) abort();
    hash ^= culprit_point_hash(id);
  }
  free(last);
  last = malloc(bytes);
  memcpy(last, id, bytes);
}

#define PASS                                                        \
  do {                                                              \
    char bytes[4096];                                               \
    size_t size = culprit_point_current(kind, (void*)bytes, 4096);  \
    if (size) passed((void*)bytes, size);                           \
  } while (0)

static int walk(int depth, int width) {
  PASS;
  int sum = 0;
  for (int i = 0; i < width; ++i) {
    PASS;
    for (int j = 0; j < i; ++j) {
      if ((i ^ j) & 1) PASS;
      if (j == 5) break;
    }
    if (depth > 0) sum += walk(depth - 1, width - 1);
    PASS;
  }
  PASS;
  return sum + width;
}

static int compare(const void* left, const void* right) {
  PASS;
  return *(const int*)left - *(const int*)right;
}

int main(int argc, char** argv) {
  if (!culprit_point_current) return 3;
  kind = argc > 1 ? atoi(argv[1]) : CULPRIT_POINT_PRECISE;
  int numbers[20];
  for (int i = 0; i < 20; ++i) numbers[i] = i * 7 % 20;
  walk(3, 6);
  qsort(numbers, 20, sizeof(int), compare);
  walk(1, 3);
  char text[400];
  uint32_t frames[8];
  if (last) {
    culprit_point_print(last, text, sizeof text);
    printf("frames %zu\n", culprit_point_frames(last, frames, 8));
  }
  printf("before %lu equal %lu after %lu unsaid %lu\n", counts[0], counts[1], counts[2], counts[3]);
  return 0;
}
