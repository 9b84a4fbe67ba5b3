// What shadow memory holds of a byte: who defined it, and which byte of the defined value it is.
#pragma once

#include <cstdint>

#include "depend/node.h"
#include "format/graph_format.h"

namespace culprit::depend {

/// A node's number, a copy's with kCopyBit, or a list's with kListBit (CopyTable); with the number of the byte. Bytes
/// that were not made one by one from those of a value (what native code wrote, memset) all have number 0.
namespace definition {

inline constexpr uint64_t kUndefined = ~uint64_t{0};
inline constexpr uint64_t kCopyBit = uint64_t{1} << 62;
inline constexpr uint64_t kListBit = uint64_t{1} << 60;
inline constexpr unsigned kByteShift = 55;
inline constexpr uint64_t kByteMask = format::kGraphPieceMask << kByteShift;
/// As number of a byte: all of the value matters, or nobody knows which.
inline constexpr uint32_t kWhole = format::kGraphWhole;
inline constexpr uint64_t kWholeByte = uint64_t{kWhole} << kByteShift;

constexpr uint32_t byte_of(uint64_t bits) {
  return static_cast<uint32_t>((bits & kByteMask) >> kByteShift);
}
constexpr uint64_t without_byte(uint64_t bits) {
  return bits == kUndefined ? bits : bits & ~kByteMask;
}
/// The byte that lies `distance` behind the one with definition `bits`, of the same value.
constexpr uint64_t advanced(uint64_t bits, uint64_t distance) {
  if (bits == kUndefined) return bits;
  const uint64_t byte = byte_of(bits) + distance;
  return byte >= kWhole ? bits | kWholeByte : bits + (distance << kByteShift);
}

}  // namespace definition
}  // namespace culprit::depend
