/* Stores and returns whose values a trace holds: each "value" line says what is expected. */
#include <stdint.h>
#include <string.h>

struct pair {
  int8_t small;
  int64_t large;
};

static __attribute__((noinline)) int8_t opposite(int number) {
  return (int8_t)-number;               /* value -3, 100 */
}

int main(void) {
  struct pair pair;
  pair.small = -127;                    /* value -127 */
  pair.small = 127;                     /* value 127 */
  pair.large = INT64_C(-1) << 40;       /* value -1099511627776 */
  unsigned byte = 200;                  /* value 200 */
  double half = 0.5;                    /* value 4602678819172646912 */
  float quarter = 0.25f;                /* value 1048576000 */
  const char* nothing = 0;              /* value 0 */
  for (int i = 0; i < 3; ++i)
    byte -= 100;                        /* value 100, 0, -100 */
  if (opposite(3) + opposite(-100) != 97) return 2;
  return nothing == 0 && half > quarter && byte > 0 && pair.large < pair.small ? 0 : 1;
}
