// Which bytes of a value come from where: sources that are followed by the byte (format/graph_format.h, kGraphPiece).
#pragma once

#include <algorithm>
#include <cstdint>

#include "depend/node.h"
#include "format/graph_format.h"

namespace culprit::depend {

/// Bytes [first, end) of a value, in the order of memory.
struct ByteRange {
  uint32_t first = 0;
  uint32_t end = ~uint32_t{0};  ///< as far as the value goes

  bool is_empty() const { return first >= end; }
  ByteRange common(ByteRange other) const { return {std::max(first, other.first), std::min(end, other.end)}; }
  auto operator<=>(const ByteRange&) const = default;
};

/// A value, or those bytes of it that matter.
struct ValuePart {
  NodeNumber source;
  ByteRange bytes;
};

/// Reads of more bytes are not taken apart.
inline constexpr uint32_t kMostPieceBytes = format::kGraphPieceMask + 1;

/// Bytes `at` of what is read are those of the source from `from` on.
constexpr NodeNumber piece(NodeNumber source, ByteRange at, uint32_t from) {
  const uint64_t place = uint64_t{at.first} << format::kGraphPieceAtShift |
                         uint64_t{at.end - at.first - 1} << format::kGraphPieceCountShift |
                         uint64_t{from} << format::kGraphPieceFromShift;
  return {source.bits | format::kGraphPiece | place};
}

/// The node, or byte of input, that a source names.
constexpr NodeNumber without_piece(NodeNumber source) {
  if (source == kNoNumber || (source.bits & format::kGraphPiece) == 0) return source;
  constexpr uint64_t kPlace = (format::kGraphMostNumbers - 1) | kMostNumbers;
  return {source.bits & kPlace};
}

/// Which bytes of what is read the source made.
constexpr ByteRange bytes_of_reader(NodeNumber source) {
  if ((source.bits & format::kGraphPiece) == 0) return {};
  const auto first = static_cast<uint32_t>(source.bits >> format::kGraphPieceAtShift & format::kGraphPieceMask);
  const auto more = static_cast<uint32_t>(source.bits >> format::kGraphPieceCountShift & format::kGraphPieceMask);
  return {first, first + more + 1};
}

/// What matters of a source when `wanted` does of what was read; empty when nothing does.
constexpr ByteRange range_in_source(NodeNumber source, ByteRange wanted) {
  if ((source.bits & format::kGraphPiece) == 0) return wanted;
  const auto field = [&](unsigned shift) {
    return static_cast<uint32_t>(source.bits >> shift & format::kGraphPieceMask);
  };
  const uint32_t at = field(format::kGraphPieceAtShift), from = field(format::kGraphPieceFromShift);
  const ByteRange common = wanted.common({at, at + field(format::kGraphPieceCountShift) + 1});
  if (common.is_empty()) return {0, 0};
  if (from == format::kGraphWhole) return {};
  return {common.first - at + from, common.end - at + from};
}

}  // namespace culprit::depend
