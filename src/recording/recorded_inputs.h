// The inputs of a recorded run as far as it read them: what files were opened and what came from each descriptor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace culprit::recording {

/// What came from a descriptor between its opening and the next that got its number.
struct RecordedInput {
  std::string path;  ///< as the program gave it; empty: it was open already, or is no file
  int descriptor = -1;
  std::string bytes;  ///< by position; what was jumped over is zeros
};

struct RecordedInputs {
  std::vector<RecordedInput> inputs;  ///< in order of opening; those that were open before when they are read first
  uint64_t stack_address = 0;
  std::string stack;  ///< memory with the texts of arguments and environment
};

/// Of calls that read at a place of their own (pread) the bytes are left out. Files that were mapped have all their
/// bytes.
RecordedInputs recorded_inputs(const Recording& recording);

}  // namespace culprit::recording
