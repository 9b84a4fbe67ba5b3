// Inline functions and templates in two units, with one address; static functions with one name in two.
// EXPECT: 1 2 3 4
// EXPECT: same address
// EXPECT: 42 static 1 2
// TICKS: per-level
#include "shared.h"

#include <cstdio>

static int same_name() { return 1; }

int main() {
  int a = counter(), b = in_other_unit(), c = counter(), d = address_of_counter()();
  std::printf("%d %d %d %d\n", a, b, c, d);
  std::puts(counter_of_other_unit() == address_of_counter() ? "same address" : "two addresses");
  Box<int>* box = box_of_other_unit();
  int (*volatile here)() = same_name;
  std::printf("%d static %d %d\n", box->get(), here(), static_of_other_unit());
  delete box;
}
