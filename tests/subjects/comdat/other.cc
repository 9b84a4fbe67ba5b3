#include "shared.h"

static int same_name() { return 2; }

int in_other_unit() { return counter(); }
int (*counter_of_other_unit())() { return counter; }

Box<int>* box_of_other_unit() {
  Box<int>* box = new Box<int>;
  box->value = 42;
  return box;
}

int static_of_other_unit() {
  int (*volatile there)() = same_name;
  return there();
}
