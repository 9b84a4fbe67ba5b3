// The activations of a stopped program, read from the chain of frame records that observed bodies keep.
#pragma once

#include <cstdint>
#include <vector>

#include "session/process_memory.h"

namespace culprit {

struct Frame {
  uint32_t entry_block = 0;    ///< program model: of the function
  uint32_t statement = 0;      ///< program model; kNone in the prologue
  uint64_t user_frame = 0;     ///< address; 0: none
  uint64_t private_frame = 0;  ///< address; 0: none
};

/// Innermost first, at most `most` of them. Ends early where the chain is damaged (a program may overwrite it).
std::vector<Frame> read_frames(const ProcessMemory& memory, uint64_t innermost, size_t most);

}  // namespace culprit
