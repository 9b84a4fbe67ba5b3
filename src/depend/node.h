// A statement instance in machine terms: one operation in one execution of its block.
#pragma once

#include <cstdint>

namespace culprit::depend {

/// Number of a block execution, in the trace's one order of all threads.
using Execution = uint32_t;

struct Node {
  static constexpr uint32_t kTransferBit = 1u << 31;

  uint64_t bits;

  static constexpr Node of(Execution execution, uint32_t operation) {
    return {static_cast<uint64_t>(execution) << 32 | operation};
  }
  constexpr Execution execution() const { return static_cast<Execution>(bits >> 32); }
  constexpr uint32_t operation() const { return static_cast<uint32_t>(bits) & ~kTransferBit; }
  /// Of a call: that it was made, and where: what the callee, or one of the things that native code did, depends on
  /// beside what it was computed from.
  constexpr Node as_transfer() const { return {bits | kTransferBit}; }
  constexpr bool is_transfer() const { return (bits & kTransferBit) != 0; }
  constexpr auto operator<=>(const Node&) const = default;
};
inline constexpr Node kNoNode{~uint64_t{0}};
inline constexpr Execution kNoExecution = 0xffffffff;

/// A node as graphs keep it: its number in order of time (format/graph_format.h). Which operation it is, the graph
/// knows.
struct NodeNumber {
  uint64_t bits;

  /// Of a call: Node::as_transfer.
  constexpr NodeNumber as_transfer() const { return {bits + 1}; }
  constexpr auto operator<=>(const NodeNumber&) const = default;
};
inline constexpr NodeNumber kNoNumber{~uint64_t{0}};

/// Numbers are lower than this; what is above marks other meanings of 64 bits.
inline constexpr uint64_t kMostNumbers = uint64_t{1} << 61;

/// As a source: a byte of input, by its ordinal (format/graph_format.h, kGraphInput).
constexpr NodeNumber input_byte(uint64_t ordinal) {
  return {kMostNumbers | ordinal};
}
constexpr bool is_input_byte(NodeNumber number) {
  return number != kNoNumber && (number.bits & kMostNumbers) != 0;
}
constexpr uint64_t ordinal_of(NodeNumber number) {
  return number.bits & ~kMostNumbers;
}

}  // namespace culprit::depend
