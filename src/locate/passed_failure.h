// Whether an altered run that does not fail came by what failed and got past it, or did not come there at all. Without
// an expected output this tells a repair from a run that only does less.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depend/dependence_graph.h"
#include "locate/experiments.h"
#include "locate/failure_slice.h"
#include "locate/observe.h"
#include "locate/predicate_switching.h"
#include "report/explanation.h"

namespace culprit {

/// What a run has to get past: the statement that crashed, or of a program that gave up the branch that decided so. The
/// rounds are those of the outermost loop around it, so that later rounds are not taken for the one that failed. No
/// statement where there is none to pass, or rounds cannot be told.
CountedStatement statement_to_pass(const program::ProgramModel& model, const report::Failure& failure,
                                   const ObservedRun& failing);

/// Whether a branch instance of the log begins a round.
bool begins_round(const BranchLog& log, uint64_t instance, const CountedStatement& counted);

/// The executions of that statement in the failing run.
class StatementToPass {
 public:
  StatementToPass(const RunDependences& run, const BranchLog& log, const CountedStatement& counted);

  /// Whether the run with the branch switched, once verified, executed the statement in the round in which the other
  /// failed, as often as that did from the switch on. Nothing where it was executed in other rounds only.
  std::optional<bool> is_passed(const CriticalBranch& branch) const;

 private:
  /// Of the branch; 0 when there is no such instance.
  depend::Execution execution_of(uint64_t instance) const;

  const RunDependences& run_;
  const BranchLog& log_;
  CountedStatement counted_;
  uint32_t block_;
  depend::Execution round_began_ = 0;
  std::vector<depend::Execution> executions_;  // of the block, ascending
};

/// Of those that repair the run: what passes before what is not known to, and that before what comes no longer there.
void put_passing_first(std::vector<CriticalBranch>& critical);

/// The sentence for a finding: " Line 33 would be executed and go well."
std::string passed_text(const report::Failure& failure, std::optional<bool> passed);

}  // namespace culprit
