// One experiment by hand: a branch switched at one execution or at all (ED §2.1.1.1).
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

struct SwitchOutcome {
  uint32_t block = 0;        ///< program model: the block that ends in the branch
  uint64_t executions = 0;   ///< of the branch in the unaltered run
  uint32_t way = 0;          ///< outgoing edge of the first switched execution, by position
  uint32_t other_way = 0;    ///< and the one taken instead
  int unaltered_status = 0;  ///< as of waitpid
  int wait_status = 0;       ///< as of waitpid
  bool stopped = false;      ///< it ran for so long that it was stopped
  std::string output;        ///< standard output of the altered run
};

/// Runs the program as it is, then sealed with the branch switched. Throws UserError when there is no branch at the
/// position, several (with their columns), or it was not executed that often.
SwitchOutcome switch_once(const Launch& launch, const program::ProgramModel& model, const SwitchRequest& request);

}  // namespace culprit
