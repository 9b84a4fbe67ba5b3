// Executions of statements that are altered one at a time, each in a run of its own: few runs of the program serve many.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "format/alteration.h"
#include "locate/executed_statements.h"
#include "locate/experiments.h"

namespace culprit {

struct StatementTrial {
  StatementExecution execution;
  uint64_t order = 0;  ///< of the execution among all statement executions of the run
  format::StatementAction action = format::StatementAction::kNone;
  uint64_t value = 0;  ///< for kReplaceWrite
};

struct HelpfulTrial {
  StatementTrial trial;
  Repair repair = Repair::kNone;
};

/// Makes trials on one failing run.
class StatementTrials {
 public:
  using Clock = Experimenter::Clock;

  /// `launch`: of the plan "alterable". `go_on` is asked now and then; false ends the search. The references must
  /// outlive it.
  StatementTrials(const Launch& launch, const RunLimits& limits, const Oracle& oracle, Clock::time_point deadline,
                  const std::function<bool(uint64_t done)>& go_on)
      : experimenter_(launch, limits, oracle), deadline_(deadline), go_on_(go_on) {}

  /// The first `most`, in parts of so many to a run of the program, until one repairs or survives when `until_found`.
  /// Those that do.
  std::vector<HelpfulTrial> make(std::vector<StatementTrial> trials, size_t most, bool until_found);

  /// Whether a fresh run says the same.
  bool is_confirmed(const HelpfulTrial& helpful);

  /// False from the deadline on; then the search is not complete.
  bool is_time_left();

  uint64_t finished() const { return experimenter_.finished(); }
  /// Nothing was left out, and each trial that was planned took place.
  bool is_complete() const { return !cut_short_ && experimenter_.finished() == planned_; }

 private:
  std::vector<StatementTrial> make_in_one_run(std::vector<StatementTrial> window, std::vector<HelpfulTrial>& found);

  Experimenter experimenter_;
  Clock::time_point deadline_;
  const std::function<bool(uint64_t)>& go_on_;
  uint64_t planned_ = 0;
  bool cut_short_ = false;
};

}  // namespace culprit
