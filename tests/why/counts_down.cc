// An index that has no sign is counted down past 0. What is read lies in a block that was freed when the vector grew:
// not that block is used, but the vector is left.
#include <iostream>
#include <string>
#include <vector>

static std::string reversed(const std::vector<std::string>& words) {
  std::string result;
  for (size_t i = words.size() - 1; i >= 0; --i) {  // never ends
    if (!result.empty()) result += ' ';
    result += words[i];  // leaves
  }
  return result;
}

int main() {
  std::vector<std::string> words;
  std::string word;
  for (const char* each : {"one", "two", "three"}) words.push_back(each);  // grows
  std::cout << reversed(words) << "\n";
}
