// Views of temporaries, one after the other: the memory of the first is given out again for the second, and freed again.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

static std::string trim(const std::string& text) {
  const size_t from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

static std::vector<std::string_view> fields(const std::string& line) {
  std::vector<std::string_view> result;
  for (size_t at = 0; at <= line.size();) {
    size_t comma = line.find(',', at);
    if (comma == std::string::npos) comma = line.size();
    std::string_view field = trim(line.substr(at, comma - at));  // frees
    result.push_back(field);
    at = comma + 1;
  }
  return result;
}

int main() {
  const std::string line = "  a rather long first field here , the second is rather long as well";
  for (std::string_view field : fields(line)) std::cout << '[' << field << "]\n";  // uses
}
