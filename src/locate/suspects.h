// Which statements are to be looked at first, from all the evidence about a failing run.
#pragma once

#include <optional>
#include <vector>

#include "locate/array_bounds.h"
#include "locate/endless_loop.h"
#include "locate/failure_slice.h"
#include "locate/heap_experiments.h"
#include "locate/observe.h"
#include "locate/predicate_switching.h"
#include "locate/repeated_runs.h"
#include "locate/suppression.h"
#include "report/explanation.h"

namespace culprit {

struct Evidence {
  const report::Failure* failure = nullptr;
  const ObservedRun* run = nullptr;            ///< as it failed
  const std::vector<Frame>* frames = nullptr;  ///< at the failure point, innermost first
  const std::vector<std::vector<VariableValue>>* variables = nullptr;
  std::vector<CriticalBranch> critical;
  std::vector<CriticalStatement> suppressed{};
  bool expected_output = false;  ///< critical branches were judged by a known output
  std::vector<HeapFault> heap;
  std::optional<BoundsFault> bounds = std::nullopt;
  std::vector<IntermittentBranch> intermittent{};
  std::optional<EndlessLoop> endless = std::nullopt;
  const FailureSlice* slice = nullptr;
};

/// Of equal places the strongest evidence is told and all of it counts; strongest first.
std::vector<report::Suspect> rank_suspects(const program::ProgramModel& model, const Evidence& evidence);

/// Whether a statement is the program's own rather than of a library's header or an allocator's wrapper.
bool is_own_statement(const program::ProgramModel& model, uint32_t statement);

/// Whether a function has so few statements that it only wraps another, or asks for something.
bool is_short_function(const program::ProgramModel& model, uint32_t function);

/// The first of `statements` (innermost first) that is the program's own; kNone when there is none.
uint32_t own_statement(const program::ProgramModel& model, const std::vector<uint32_t>& statements);

/// Of two chains of activations the statement of the first in the innermost activation that both share; kNone when they
/// have nothing in common.
uint32_t where_chains_part(const program::ProgramModel& model, const std::vector<uint32_t>& first,
                           const std::vector<uint32_t>& second);

std::vector<uint32_t> statements_of(const std::vector<Frame>& frames);

}  // namespace culprit
