// Where a trace begins that is of the end of a run only: the activations that had begun before it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "program/program_model.h"

namespace culprit::trace {

/// An activation of the main thread that had begun.
struct BegunActivation {
  uint32_t function = 0;
  uint32_t call = 0;            ///< operation that it was calling, or that came back last; kNone: its block begins
  uint32_t number = 0;          ///< among those that control can come back into, from 1; 0: it is none
  bool by_native = false;       ///< native code had entered it, called by the one before
  std::vector<uint64_t> bases;  ///< in the model's order: addresses, and values of kept variables
};

struct TraceBeginning {
  uint32_t numbered = 0;                     ///< activations so far that control can come back into
  std::vector<uint64_t> sites;               ///< their latest addresses
  uint32_t block = 0;                        ///< where the innermost is
  std::vector<BegunActivation> activations;  ///< the innermost last; one at least
};

/// Reads the file (format::TraceStart). Throws CorruptData.
TraceBeginning read_beginning(const std::filesystem::path& file, const program::ProgramModel& model);

}  // namespace culprit::trace
