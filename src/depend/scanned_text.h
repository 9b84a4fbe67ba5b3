// Which characters of a text the conversions of a scanf took.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace culprit::depend {

struct ScannedPart {
  uint64_t first;
  uint64_t bytes;
  bool is_text;  ///< %s, %c and %[: the characters themselves, not a number that they mean
};

struct ScannedText {
  std::vector<ScannedPart> parts;  ///< of conversions that assign, in their order; as far as the text matches
  uint64_t end;                    ///< behind what was read
};

/// Of bytes; multibyte formats are read as their bytes.
ScannedText scan_text(std::string_view format, std::string_view text, uint64_t from);

}  // namespace culprit::depend
