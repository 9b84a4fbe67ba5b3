// What a variable holds that the program never wrote.
#pragma once

#include <cstdint>

namespace culprit::format {

/// Each byte of it, in all bodies but native ones; clang's -ftrivial-auto-var-init=pattern uses it too.
inline constexpr uint8_t kUnwrittenByte = 0xAA;

}  // namespace culprit::format
