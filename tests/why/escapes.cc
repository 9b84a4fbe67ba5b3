// A text goes through strings that grow, move and are assigned by the library's own code: spaces are expected.
#include <iostream>
#include <string>

namespace {

struct Node {
  std::string scalar;
  void set(const std::string& text) { scalar = text; }
};

std::string escape(const std::string& in) {
  std::string out;
  for (const char c : in) {
    if (c == '_') {
      out += '?';
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

int main() {
  Node node;
  node.set(escape("a_b and a longer text, so that it is on the heap"));
  std::cout << node.scalar << "\n";
  return 0;
}
