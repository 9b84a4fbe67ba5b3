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
/// pieces, where the function is entered, always correspond; pairs keep the order of both. Pieces correspond by what
/// their statements are and where they stand, then those that the same decision leads to from pieces that correspond,
/// if they are of blocks without statements, or of changed lines and of one kind.
std::vector<uint32_t> corresponding_pieces(const FunctionPieces& left, const FunctionPieces& right,
                                           VersionSources& sources);

}  // namespace culprit
