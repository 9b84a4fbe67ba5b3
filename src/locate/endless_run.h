// Switching branches of a run that does not end.
#pragma once

#include "locate/predicate_switching.h"

namespace culprit {

/// Of the log of a run that does not end, from its first instance on: the part up to where it has come into the loop
/// that it does not leave.
BranchLog first_turns(const program::ProgramModel& model, const BranchLog& log);

/// As switch_predicates, of a run that was stopped, of which `log` holds that part.
SwitchingResult switch_in_endless_run(const Launch& launch, const program::ProgramModel& model, const BranchLog& log,
                                      const Oracle& oracle, const SwitchingBudget& budget,
                                      const SwitchingProgress& progress);

}  // namespace culprit
