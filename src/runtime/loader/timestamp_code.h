// Where machine code reads the time stamp counter. Plain functions, also tested on the host.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace culprit::loader {

/// The first rdtsc or rdtscp in `code` at or behind `from`, or `bytes`. Boundaries of instructions are not known: told
/// is only what compilers make of a counter of 64 bits (its upper half is shifted into place soon after) and what
/// stands behind a fence. Bytes of other instructions and data do not look like that; a read of the lower half alone is
/// not found.
size_t find_timestamp(const uint8_t* code, size_t bytes, size_t from);

/// How many bytes from a place on find_timestamp looks at.
inline constexpr size_t kTimestampReach = 64;

/// In place of the first byte of a rewritten rdtsc or rdtscp: no instruction of 64-bit code begins with it (DAA).
inline constexpr uint8_t kRewrittenTimestamp = 0x27;

}  // namespace culprit::loader
