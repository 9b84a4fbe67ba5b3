// Which statements are to be looked at first, from all the evidence about a failing run.
#pragma once

#include <optional>
#include <vector>

#include "locate/array_bounds.h"
#include "locate/endless_exits.h"
#include "locate/endless_loop.h"
#include "locate/failure_slice.h"
#include "locate/heap_experiments.h"
#include "locate/observe.h"
#include "locate/omitted_output.h"
#include "locate/predicate_switching.h"
#include "locate/racing_accesses.h"
#include "locate/repeated_runs.h"
#include "locate/suppression.h"
#include "locate/uninitialised_reads.h"
#include "locate/value_replacement.h"
#include "report/explanation.h"

namespace culprit {

struct Evidence {
  const report::Failure* failure = nullptr;
  const ObservedRun* run = nullptr;            ///< as it failed
  const std::vector<Frame>* frames = nullptr;  ///< at the failure point, innermost first
  const std::vector<std::vector<VariableValue>>* variables = nullptr;
  std::vector<CriticalBranch> critical;
  std::vector<CriticalStatement> suppressed{};
  std::vector<CriticalValue> replaced{};
  bool expected_output = false;  ///< critical branches were judged by a known output
  std::vector<HeapFault> heap;
  std::optional<BoundsFault> bounds = std::nullopt;
  bool differs = false;  ///< equal runs end differently
  std::vector<IntermittentBranch> intermittent{};
  std::vector<RacingAccesses> races{};  ///< nearest to the failure first
  std::optional<EndlessLoop> endless = std::nullopt;
  EndlessTurns turns{};  ///< of that loop
  std::optional<Recursion> recursion = std::nullopt;
  std::vector<OmittedOutput> omitted{};  ///< the latest first
  const FailureSlice* slice = nullptr;
  const std::vector<UninitialisedRead>* uninitialised = nullptr;  ///< in the order in which they are to be looked at
};

/// Of equal places the strongest evidence is told and all of it counts; strongest first.
std::vector<report::Suspect> rank_suspects(const program::ProgramModel& model, const Evidence& evidence);

}  // namespace culprit
