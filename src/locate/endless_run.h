// Switching branches of a run that does not end.
#pragma once

#include "locate/predicate_switching.h"

namespace culprit {

/// As switch_predicates, of a run that was stopped: `log` holds its first part, in which it came into the loop that it
/// does not leave.
SwitchingResult switch_in_endless_run(const Launch& launch, const program::ProgramModel& model,
                                      const ControlBlock::BranchLog& log, const Oracle& oracle,
                                      const SwitchingBudget& budget, const SwitchingProgress& progress);

}  // namespace culprit
