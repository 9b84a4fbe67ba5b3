/* Values that can be altered from outside: PERTURB_LANE and PERTURB_AT say which of the values that pass by,
   PERTURB_MASK what happens to it. Each thread of a program has a lane, so that a number means the same value in every
   run. */
#include <stdlib.h>

static unsigned long perturb_passed[4], perturb_at[4], perturb_mask;

__attribute__((constructor)) static void perturb_begin(void) {
  const char* lane = getenv("PERTURB_LANE");
  if (!lane) return;
  perturb_at[atoi(lane)] = strtoul(getenv("PERTURB_AT"), 0, 10);
  perturb_mask = strtoul(getenv("PERTURB_MASK"), 0, 10);
}

#define PERTURB_LANE_OF(lane) \
  __attribute__((noinline, unused)) static unsigned long perturb##lane(unsigned long value) {
#define PERTURB_LANE_DOES(lane) \
  if (++perturb_passed[lane] == perturb_at[lane]) value ^= perturb_mask;

/* The returns are on lines of their own: slice-oracle.py looks for them. */
PERTURB_LANE_OF(0)
PERTURB_LANE_DOES(0)
return value; /* lane 0 */
}
PERTURB_LANE_OF(1)
PERTURB_LANE_DOES(1)
return value; /* lane 1 */
}
PERTURB_LANE_OF(2)
PERTURB_LANE_DOES(2)
return value; /* lane 2 */
}
PERTURB_LANE_OF(3)
PERTURB_LANE_DOES(3)
return value; /* lane 3 */
}
