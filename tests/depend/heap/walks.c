// Functions that know a variable by a pointer only go past its end, or its beginning, and some that only seem to.
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct entry {
  char name[8];
  int values[2];
};

static int lengths[4];
static int others[4];
static struct entry entries[2];
static int first, second, third;

NOINLINE static void copy(char* to, const char* from) {
  while ((*to++ = *from++)) {  // wrong: writes 8 of name 8
  }
}

NOINLINE static void fill(int* to, int count, int value) {
  for (int each = 0; each < count; ++each) to[each] = value;  // wrong: writes 16 of lengths 16
}

NOINLINE static void fill_back(short* end, int count) {
  while (count-- > 0) *--end = 7;  // wrong: writes -2 of numbers 8
}

NOINLINE static void clear(struct entry* to, int count) {
  for (struct entry* each = to; each < to + count; ++each) {
    for (int at = 0; at < (int)sizeof each->name; ++at) each->name[at] = 0;
    for (int at = 0; at < 2; ++at) each->values[at] = at;
  }
}

NOINLINE static void clear_bytes(void* to, size_t bytes) {
  for (char* each = to; bytes > 0; --bytes) *each++ = 0;
}

NOINLINE static void set_all(int** to, int count) {
  for (int each = 0; each < count; ++each) *to[each] = each;
}

NOINLINE static int use(void) {
  char name[8] = "";
  char behind[24] = "";
  copy(name, "eight ch");
  copy(behind, "all of it");
  return (int)strlen(behind) + name[0];
}

NOINLINE static int use_back(void) {
  short numbers[4];
  char before[16] = "";
  fill_back(numbers + 4, 5);
  return numbers[0] + (int)strlen(before);
}

int main(void) {
  int a = 1, b = 2, c = 3;
  int* all[] = {&a, &b, &c, &first, &second, &third};
  set_all(all, 6);
  clear(entries, 2);
  clear_bytes(entries, sizeof entries);
  int table[3][4];
  fill(table[0], 12, 1);
  fill(others, 4, 2);
  fill(lengths, 10, 3);
  printf("%d\n", use() + use_back() + a + b + c + table[2][3] + others[0] + lengths[0] + entries[1].values[1]);
  return 0;
}
