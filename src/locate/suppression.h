// Execution suppression (ED §2.1.1.2): which call or write of the failing run, had it been left out, would have let the
// run succeed. Calls come first; one that helps is narrowed down to what it contains.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "locate/executed_statements.h"
#include "locate/experiments.h"
#include "locate/failure_slice.h"
#include "program/program_model.h"

namespace culprit {

/// An execution of a call or a write without which the failing run ends better.
struct CriticalStatement {
  StatementExecution execution;
  Repair repair = Repair::kNone;
  std::vector<uint32_t>
      within;             ///< statements: the calls that helped, too, from which it was narrowed down; outermost first
  bool verified = false;  ///< by a fresh run
};

struct SuppressionBudget {
  uint64_t experiments = 4'000;
  RunLimits limits{};  ///< of altered runs
  std::chrono::milliseconds time{6'000};
};

struct SuppressionResult {
  std::vector<CriticalStatement> critical;  ///< what repairs first; of equals the nearest to the failure first
  uint64_t experiments = 0;
  bool complete = false;  ///< the budget ended nothing, and each experiment that was planned took place
};

/// Whether a statement can be suppressed: it writes memory, or it makes a call that returns.
bool can_be_suppressed(const program::ProgramModel& model, uint32_t statement);

/// `launch`: of the plan "alterable". `slice`: of the failing run, which executed `branches` branch instances up to its
/// failure. `go_on` is asked now and then; false ends the search.
SuppressionResult suppress_statements(const Launch& launch, const FailureSlice& slice, uint64_t branches,
                                      const Oracle& oracle, const SuppressionBudget& budget,
                                      const std::function<bool(uint64_t done)>& go_on);

}  // namespace culprit
