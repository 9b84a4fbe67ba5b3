// Lines of the table of external functions, cut into words.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::program::external {

struct Token {
  enum class Kind : uint8_t { kName, kNumber, kText, kMark, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  ///< kText: without quotes, escapes replaced
  int64_t number = 0;
};

/// What is wrong with a line; the parser of the table adds where.
class LineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ends with one token kEnd. Throws LineError.
std::vector<Token> tokens_of(std::string_view line);

}  // namespace culprit::program::external
