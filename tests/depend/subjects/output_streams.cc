// Bytes put out through C++ streams.
#include <iostream>
#include <string>
int main(int argc, char **argv) {
  std::string first = argc > 4 ? "never" : "one";
  char letter = static_cast<char>('a' + argc);
  std::cout << "text " << letter << first;
  std::cerr << letter;
  std::cout.flush();
  return 0;
}
// slice: --at stdout:0 --no-address => 7
// slice: --at stdout:5 --no-control --no-address => 4 6 7
// slice: --at stderr:0 --no-control --no-address => 4 6 8
