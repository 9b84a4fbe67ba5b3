// Value replacement (ED ch. 3's relative, after Jeffrey et al.): which value that the failing run made, had it been
// another one, would have let the run succeed. The statement that made it, or one that it was made from, is likely wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "depend/node.h"
#include "locate/executed_statements.h"
#include "locate/experiments.h"
#include "locate/failure_slice.h"
#include "locate/value_path.h"
#include "program/program_model.h"

namespace culprit {

/// An execution of a statement that stored or returned a value, and with another one would have repaired the run.
struct CriticalValue {
  StatementExecution execution;
  uint64_t order = 0;    ///< among all statement executions of the run
  depend::Node node;     ///< the operation that stored or returned it
  uint64_t value = 0;    ///< its bits, as a trace has them
  uint64_t instead = 0;  ///< the bits of the first one that repairs
  uint32_t repairing = 0;  ///< how many other values repair
  ValueOrigin origin{};    ///< it came from there by copies only; the statement itself when that made it
  bool verified = false;   ///< by a fresh run
};

struct ReplacementBudget {
  size_t statements = 300;     ///< the nearest to the failure, with one execution each
  uint64_t experiments = 3'000;
  RunLimits limits{};          ///< of altered runs
  std::chrono::milliseconds time{4'000};
};

struct ReplacementResult {
  std::vector<CriticalValue> critical;  ///< the earliest first
  uint64_t experiments = 0;
  bool complete = false;  ///< the budget ended nothing, and each experiment that was planned took place
};

/// Whether one number is written or returned by a statement, so that an altered run can replace it.
bool can_be_replaced(const program::ProgramModel& model, uint32_t statement);

/// `launch`: of the plan "alterable". `slice`: of the failing run, traced with values, which executed `branches` branch
/// instances up to its failure. `go_on` is asked now and then; false ends the search.
ReplacementResult replace_values(const Launch& launch, const FailureSlice& slice, uint64_t branches,
                                 const Oracle& oracle, const ReplacementBudget& budget,
                                 const std::function<bool(uint64_t done)>& go_on);

}  // namespace culprit
