// What of machine code can be run at another address. Plain functions, also tested on the host.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace culprit::loader {

/// Bytes of the whole instructions at the start of `code` that together have at least `least` bytes and mean the same
/// at any address; 0 when there are none or an instruction is not known. Only `available` bytes can be read.
size_t movable_bytes(const uint8_t* code, size_t available, size_t least);

/// Whether any bytes of `code`, which lies at `address`, read as a direct jump or call to a place inside (low, high).
/// May say so of bytes that are no instruction.
bool jumps_between(const uint8_t* code, size_t bytes, uint64_t address, uint64_t low, uint64_t high);

}  // namespace culprit::loader
