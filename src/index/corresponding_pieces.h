// Which pieces of two versions of a function correspond.
#pragma once

#include <cstdint>
#include <vector>

#include "index/union_program.h"

namespace culprit {

/// One version of a function: the pieces begin … end - 1.
struct FunctionPieces {
  const program::ProgramModel& model;
  const VersionNumbers& version;
  uint32_t begin, end;
};

/// By piece of the left version from `begin` on: the piece of the right one that it corresponds to, or kNone. The first
/// pieces, where the function is entered, always correspond. Pieces correspond by what their statements are and
/// where they stand, in the order of both; then those that the same decision leads to from pieces that correspond, if
/// they are of blocks without statements or, being of one kind, stand at the same place or in changed lines.
std::vector<uint32_t> corresponding_pieces(const FunctionPieces& left, const FunctionPieces& right,
                                           VersionSources& sources);

}  // namespace culprit
