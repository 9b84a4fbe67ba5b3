// One experiment by hand: a branch switched (ED §2.1.1.1) or a statement suppressed (§2.1.1.2), at one execution or at
// all.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "program/program_model.h"
#include "program/source_position.h"
#include "session/controlled_run.h"

namespace culprit {

struct SwitchRequest {
  program::SourcePosition at;  ///< of the branch; instance 0: each execution
  uint32_t to_line = 0;        ///< where to go instead; 0: the other side, which a branch with more than two lacks
  std::chrono::milliseconds limit{60'000};
};

struct SuppressRequest {
  program::SourcePosition at;       ///< of a write or a call; instance 0: each execution
  std::optional<uint64_t> value{};  ///< a write writes these bits instead; what a call yields, else 0
  std::chrono::milliseconds limit{60'000};
};

struct SingleOutcome {
  uint64_t executions = 0;   ///< of the branch, or of the statement by the main thread, in the unaltered run
  int unaltered_status = 0;  ///< as of waitpid
  int wait_status = 0;       ///< as of waitpid
  bool stopped = false;      ///< it ran for so long that it was stopped
  std::string output;        ///< standard output of the altered run
};

/// Runs the program as it is, then sealed with the branch switched. Throws UserError when there is no branch at the
/// position, several (with their columns), or it was not executed that often.
SingleOutcome switch_once(const Launch& launch, const program::ProgramModel& model, const SwitchRequest& request);

/// The same for a statement that writes memory or calls: it is left out, or given another value. Throws UserError when
/// nothing at the position writes or calls, several statements do (with their columns), or it was not executed that
/// often.
SingleOutcome suppress_once(const Launch& launch, const program::ProgramModel& model, const SuppressRequest& request);

}  // namespace culprit
