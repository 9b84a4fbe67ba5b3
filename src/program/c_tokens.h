// C expressions cut into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::program {

struct CToken {
  enum class Kind : uint8_t { kEnd, kName, kInteger, kFloat, kOperator };
  Kind kind = Kind::kEnd;
  std::string_view text;
  size_t at = 0;  ///< offset in the expression
  uint64_t integer = 0;
  double real = 0;
  bool is_unsigned = false;
};

/// Ends with kEnd. Throws UserError at what C does not know.
std::vector<CToken> c_tokens(std::string_view expression);

/// An error at a place of the expression, which is shown.
[[noreturn]] void expression_error(std::string_view expression, size_t at, const std::string& what);

}  // namespace culprit::program
