// Strings of the program, of which it is not known that they are any.
#pragma once

#include <cstdint>

namespace culprit::runtime {

/// Characters before the zero byte, before `limit`, or before memory that cannot be read. `checked`: whether the first
/// byte is known to be readable.
uint32_t string_length(uint64_t address, uint64_t limit, bool checked);

}  // namespace culprit::runtime
