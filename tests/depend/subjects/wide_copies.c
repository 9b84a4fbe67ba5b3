// Bytes that are copied with others, as parts of something wider, are told apart: each leads to what made it.
#include <stdlib.h>
#include <string.h>
struct pair { int first, second; };
struct text { char letters[14]; char kind; };
struct many { int a, b, c, d, e; };
static int make(const char *text) { return atoi(text); }
static struct pair handed_back(struct pair pair) {
  struct pair copy = pair;
  return copy;
}
static struct text handed_on(struct text text) {
  struct text copy;
  copy = text;
  return copy;
}
static char letter(const struct text *text, int at) { return text->letters[at]; }
int main(void) {
  struct pair pair;
  pair.first = make("1");
  pair.second = make("2");
  struct pair returned = handed_back(pair);
  struct text text;
  memset(&text, 0, sizeof text);
  text.letters[0] = (char)make("3");
  text.letters[1] = (char)make("4");
  text.letters[9] = (char)make("5");
  text.kind = (char)make("6");
  struct text other = handed_on(text);
  char early = letter(&other, 1);
  char late = letter(&other, 9);
  struct many many = {0, 0, 0, 0, 0};
  many.a = make("7");
  many.c = make("8");
  struct many assigned;
  assigned = many;
  int numbers[6];
  for (int i = 0; i < 6; ++i) numbers[i] = make("9");
  numbers[2] = make("10");
  memmove(numbers + 1, numbers, 5 * sizeof *numbers);
  int moved = numbers[3];
  long long merged;
  int halves[2];
  halves[0] = make("11");
  halves[1] = make("12");
  memcpy(&merged, halves, sizeof merged);
  long long passed = merged;
  int upper;
  memcpy(&upper, (char *)&passed + 4, sizeof upper);
  int lower = (int)passed;
  char bytes[8];
  memcpy(bytes, &passed, sizeof bytes);
  volatile int sink = returned.first + returned.second + early + late + assigned.a + assigned.c + moved + upper + lower;
  int one = returned.first, two = returned.second, a = assigned.a, c = assigned.c;
  char byte = bytes[5];
  return sink + one + two + a + c + byte == 0;
}
// chain: --at 56 --var one => 56 54 22 10 9 8 22 20 7
// chain: --at 56 --var two => 56 54 22 10 9 8 22 21 7
// chain: --at 56 --var a => 56 54 36 33 7
// chain: --at 56 --var c => 56 54 36 34 7
// chain: --at 56 --var byte => 56 55 52 47 46 45 7
// chain: --at 53 --var early => 53 30 17 29 15 14 12 29 26 7
// chain: --at 53 --var late => 53 31 17 29 15 14 12 29 27 7
// chain: --at 53 --var moved => 53 41 40 39 7
// chain: --at 53 --var upper => 53 49 47 46 45 7
// chain: --at 53 --var lower => 53 50 47 46 44 7
// slice: --at 56 --var one --no-control --no-address => 7 8 9 10 20 22 54 56
// slice: --at 56 --var two --no-control --no-address => 7 8 9 10 21 22 54 56
// slice: --at 56 --var a --no-control --no-address => 7 33 36 54 56
// slice: --at 56 --var byte --no-control --no-address => 7 45 46 47 52 55 56
// slice: --at 53 --var early --no-control --no-address => 7 12 14 15 17 26 29 30 53
// slice: --at 53 --var late --no-control --no-address => 7 12 14 15 17 27 29 31 53
// slice: --at 53 --var upper --no-control --no-address => 7 45 46 47 49 53
