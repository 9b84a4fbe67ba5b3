// What shadow memory holds of a byte: who defined it, and which byte of the defined value it is.
#pragma once

#include <cstdint>

#include "depend/node.h"
#include "format/graph_format.h"

namespace culprit::depend {

/// A node's number, a copy's with kCopyBit, a list's with kListBit (CopyTable), or with kUnwrittenBit a variable that
/// nothing was written to since its activation began; with the number of the byte. Bytes that were not made one by one
/// from those of a value (what native code wrote, memset) all have number 0.
namespace definition {

inline constexpr uint64_t kUndefined = ~uint64_t{0};
inline constexpr uint64_t kCopyBit = uint64_t{1} << 62;
inline constexpr uint64_t kListBit = uint64_t{1} << 60;
inline constexpr uint64_t kUnwrittenBit = uint64_t{1} << 63;
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


/// A variable of the program model, in an activation that has not written it.
constexpr uint64_t unwritten(uint32_t variable, uint32_t frame) {
  return kUnwrittenBit | uint64_t{variable} << 32 | frame;
}
/// Variables with higher numbers cannot be told.
inline constexpr uint32_t kMostUnwritten = uint32_t{1} << (kByteShift - 32);
constexpr bool is_unwritten(uint64_t bits) {
  return bits != kUndefined && (bits & kUnwrittenBit) != 0;
}
constexpr uint32_t frame_of_unwritten(uint64_t bits) {
  return static_cast<uint32_t>(bits);
}
constexpr uint32_t variable_of_unwritten(uint64_t bits) {
  return static_cast<uint32_t>(without_byte(bits & ~kUnwrittenBit) >> 32);
}

}  // namespace definition
}  // namespace culprit::depend
