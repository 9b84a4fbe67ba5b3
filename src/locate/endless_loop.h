// The loop that a run which does not end is in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program_model.h"
#include "session/controlled_run.h"
#include "session/frames.h"

namespace culprit {

struct EndlessLoop {
  uint32_t loop = 0;            ///< program model
  size_t activation = 0;        ///< that is in it, by position
  std::vector<uint32_t> exits;  ///< blocks inside that end in a branch which can leave it
};

/// `frames`: where the run was stopped. `log`: its branches up to there. Nothing when no activation is in a loop.
std::optional<EndlessLoop> endless_loop(const program::ProgramModel& model, const std::vector<Frame>& frames,
                                        const BranchLog& log);

}  // namespace culprit
