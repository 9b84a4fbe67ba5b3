// Puts out through a C++ stream with a buffer of its own, which is emptied when the program ends. "total 10\n" and two
// dots are expected.
#include <iostream>

static void show(std::ostream& out, int total) {
  out << "total " << total << '\n';
}

static void finish(std::ostream& out) {
  for (int dots = 0; dots < 2; ++dots) out << ".\n";
}

int main(int argc, char**) {
  std::ios::sync_with_stdio(false);
  show(std::cout, argc + 10);
  finish(std::cout);
  return 0;
}
