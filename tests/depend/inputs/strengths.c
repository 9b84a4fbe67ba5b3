// The examples of ED §4.1.4: when the precise value of an input matters.
#include <unistd.h>
static char buf[256];
static int f(int x) {
  return x * 2 + 1;
}
int main(void) {
  unsigned char x;
  int y, z, w, hits = 0;
  read(0, &x, 1);
  y = x;
  z = f(x);
  w = z;
  if (x == 'k') hits++;
  if (x != 'k') hits++;
  if (x > 'a') hits++;
  if (x != 'a') hits++;
  z = buf[x];
  y = f(x) % 256;
  w = buf[y];
  if (z > 0) hits++;
  if (x == 'k')
    y = 1;
  if (y < 100) hits++;
  switch (x) {
    case 'a':
    case 'b': hits = 2; break;
    case 'k': hits = 3; break;
    default: hits = 4;
  }
  return w + hits;
}
// stdin: k
// bytes: --at 11 => {k=} {} {}
// bytes: --at 12 => {k} {} {}
// bytes: --at 13 => {k} {} {}
// bytes: --at 14 --var x => {k=} {} {}
// bytes: --at 18 => {} {} {k=}
// bytes: --at 20 => {} {} {k}
// bytes: --at 23 => {k=} {k=} {}
// chains: --at 23 => k=→1(y@23)
// bytes: --at 28 => {k=} {k=} {}
// chains: --at 28 => k=→3(hits@28)
