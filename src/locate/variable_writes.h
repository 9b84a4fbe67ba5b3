// Which statements write a variable, and that a branch went past one of them.
#pragma once

#include <cstdint>
#include <map>

#include "program/program_model.h"

namespace culprit {

struct SkippedWrite {
  uint32_t write = 0;             ///< statement
  uint32_t branch = 0;            ///< the block that ends in it
  uint32_t way = program::kNone;  ///< the edge that it took, by position; kNone: not known
};

/// The blocks that write a variable or a part of it, each with the statement that does. `function`: whose variable it
/// is; kNone: a global one, written anywhere.
std::map<uint32_t, uint32_t> writes_of(const program::ProgramModel& model, uint32_t function, uint32_t variable);

}  // namespace culprit
