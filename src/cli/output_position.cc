#include "cli/output_position.h"

#include <stdexcept>

namespace culprit::cli {

std::optional<uint64_t> number_in(const std::string& text) {
  size_t used = 0;
  try {
    const uint64_t number = std::stoull(text, &used, 0);
    if (used == text.size() && text.front() != '-') return number;
  } catch (const std::logic_error&) {
    // No digits, or too many: no number.
  }
  return std::nullopt;
}

std::optional<std::pair<depend::OutputStream, uint64_t>> output_position(const std::string& at) {
  const size_t colon = at.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string name = at.substr(0, colon);
  const std::optional<uint64_t> offset = number_in(at.substr(colon + 1));
  if (!offset) return std::nullopt;
  if (name == "stdout") return std::pair(depend::OutputStream::kStandardOutput, *offset);
  if (name == "stderr") return std::pair(depend::OutputStream::kStandardError, *offset);
  return std::nullopt;
}

}  // namespace culprit::cli
