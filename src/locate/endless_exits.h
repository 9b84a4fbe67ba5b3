// Why an endless loop is not left: what each of its exits tests, and whether that still changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "locate/endless_loop.h"
#include "locate/measured_slice.h"
#include "locate/traced_program.h"
#include "locate/variable_writes.h"
#include "session/controlled_run.h"

namespace culprit {

/// What a branch read of memory, or a function gave it.
struct TestedValue {
  uint32_t variable = program::kNone;  ///< kNone: something that a pointer led to, or a call's result
  uint32_t read = program::kNone;      ///< statement that read it, or called
  bool is_call = false;
  uint32_t written = program::kNone;  ///< statement that wrote it last; kNone: nothing did
  bool again = false;                 ///< written again from one turn to the next
  /// What that write was computed from and is not written again: of something that changes by what does not.
  std::vector<uint32_t> from{};
  /// Of a variable that is not written again: what would write it, and which branch of the last turn went past that.
  std::vector<SkippedWrite> skipped{};
};

struct LoopExit {
  uint32_t block = 0;       ///< ends in the branch
  uint64_t executions = 0;  ///< in what was traced
  std::vector<TestedValue> tested;
  bool changes() const;
};

struct EndlessTurns {
  std::vector<LoopExit> exits;  ///< of the loop
  MeasuredSlice slice;          ///< of the last turn's exits and of the branches that went past a write
};

/// Traces the beginning of the program's run, as long as its loop is not known to turn many times. Throws UserError,
/// CorruptData. Exits that were not executed twice have nothing tested.
EndlessTurns examine_exits(const Launch& program, const TracedProgram& traced, const EndlessLoop& loop);

}  // namespace culprit
