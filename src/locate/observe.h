// The failing run itself, looked at where it fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "locate/failure.h"
#include "locate/recursion.h"
#include "program/program_model.h"
#include "session/controlled_run.h"
#include "session/variables.h"

namespace culprit {

struct ObservedRun {
  ObservedEnd end;
  std::vector<std::vector<VariableValue>> variables;  ///< of the innermost of `end.frames`
  std::optional<Recursion> recursion;                 ///< that filled the stack
  BranchLog log;
  uint64_t branches = 0;           ///< instances in all, also of those that are no longer in the log
  format::BoundsControl bounds{};  ///< the first array that was left by its index; no elements when none was
};

/// Runs the program once as it is and logs its branches.
ObservedRun observe_failure(const Launch& launch, const program::ProgramModel& model, std::chrono::milliseconds limit);

/// Runs it once more and looks at it where it ends itself by a call. No frames: it had no activation then.
ObservedRun observe_end(const Launch& launch, const program::ProgramModel& model, std::chrono::milliseconds limit);

/// Runs it once more, sealed, and looks at it where it hands byte number `byte` (from 0) of its standard output to the
/// system. Standard output is not buffered by the C library in this run. No frames: the program had no activation then.
/// Its branches are logged when the failing run had few, by `branches`.
ObservedRun observe_output(const Launch& launch, const program::ProgramModel& model, uint64_t byte, uint64_t branches,
                           std::chrono::milliseconds limit);

/// Runs it once more, sealed, with a request about arrays that are left by their index.
ObservedRun observe_bounds(const Launch& launch, const program::ProgramModel& model,
                           const format::BoundsControl& request, std::chrono::milliseconds limit);

}  // namespace culprit
