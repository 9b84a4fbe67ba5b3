#include <algorithm>

#include "program/external/conversions.h"

namespace culprit::program::external {

std::vector<Piece> placed(std::vector<Piece> pieces, std::optional<uint64_t> total) {
  uint64_t known = 0;
  size_t unknown = 0;
  for (const Piece& piece : pieces) {
    known += piece.bytes.value_or(0);
    unknown += piece.bytes ? 0 : 1;
  }
  const bool agrees = !total || (unknown == 0 ? known == *total : known <= *total);
  if (agrees && unknown == 1 && total) {
    for (Piece& piece : pieces) {
      if (!piece.bytes) piece.bytes = *total - known;
    }
    unknown = 0;
  }
  if (agrees && unknown == 0) return pieces;
  const auto first = agrees ? std::find_if(pieces.begin(), pieces.end(), [](const Piece& each) { return !each.bytes; })
                            : pieces.begin();
  Piece rest;
  uint64_t before = 0;
  for (auto piece = pieces.begin(); piece != first; ++piece) before += *piece->bytes;
  for (auto piece = first; piece != pieces.end(); ++piece) {
    rest.sources.insert(rest.sources.end(), piece->sources.begin(), piece->sources.end());
  }
  if (total) rest.bytes = *total - before;
  pieces.erase(first, pieces.end());
  pieces.push_back(std::move(rest));
  return pieces;
}

}  // namespace culprit::program::external
