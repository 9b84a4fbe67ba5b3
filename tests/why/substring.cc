// What stands before the comma: "abc" is expected.
#include <iostream>
#include <string>

namespace {

std::string first(const std::string& line) {
  const size_t end = line.find(',');
  return line.substr(0, end + 1);
}

}  // namespace

int main() {
  const std::string line = "abc,def";
  std::cout << first(line) << "\n";
  return 0;
}
