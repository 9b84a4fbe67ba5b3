// Runs of a program that may not behave the same each time: until one fails, and then until it is known whether all do.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "locate/failure.h"
#include "locate/observe.h"
#include "program/program_model.h"

namespace culprit {

/// A way out of a branch that failing runs took and passing ones did not.
struct IntermittentBranch {
  uint32_t block = 0;       ///< program model: the block that ends in the branch
  uint32_t way = 0;         ///< the outgoing edge, by position
  uint64_t last_entry = 0;  ///< position in the failing run's log, of its last execution that way
};

struct RepeatedRuns {
  std::optional<report::Failure> failure;  ///< of `failing`; nothing: no run failed
  ObservedRun failing;
  uint32_t runs = 0;
  uint32_t failed = 0;
  std::optional<std::string> otherwise = std::nullopt;  ///< the message of a run that failed otherwise
  bool scheduled = false;                               ///< random schedules of the program's threads made it fail
  /// Of a program whose runs differ: latest execution first.
  std::vector<IntermittentBranch> only_when_failing;

  bool is_deterministic() const { return runs == failed || failed == 0; }
};

/// Runs of the same input, set beside each other.
class RunComparison {
 public:
  /// Both must stay.
  RunComparison(const program::ProgramModel& model, const Expectation& expectation)
      : model_(model), expectation_(expectation) {}

  /// Whether it failed as those before that failed. Failures of other kinds are not counted.
  bool add(ObservedRun run);
  /// Whether more runs would tell little more.
  bool enough() const;
  const RepeatedRuns& so_far() const { return result_; }
  RepeatedRuns finish() &&;

 private:
  void find_what_only_failing_runs_do();

  const program::ProgramModel& model_;
  const Expectation& expectation_;
  RepeatedRuns result_;
  std::unordered_set<uint64_t> passing_{};            ///< ways of branches
  bool passing_tells_threads_ = false;                ///< of all threads
  std::unordered_map<uint64_t, uint32_t> failing_{};  ///< runs in which a way was taken
};

/// The instance (from 1) of the branch by which the failing run first went where only failing runs go; nothing when it
/// is not known.
std::optional<uint64_t> first_only_when_failing(const RepeatedRuns& runs);

struct RepeatLimits {
  uint32_t tries = 5000;                  ///< runs until one fails
  std::chrono::milliseconds run{10'000};  ///< of one run: longer is a hang
  std::chrono::milliseconds all{10'000};  ///< for repeating
};

/// Runs until one fails, and then up to three times more. When those end otherwise, repeats until a run fails and
/// several passed, to see what only failing runs do (statistical debugging over branch outcomes; outside of replays
/// those of the main thread).
void run_until_failure(const Launch& launch, const program::ProgramModel& model, const RepeatLimits& limits,
                       const std::function<bool(uint32_t done)>& progress, RunComparison& runs);

}  // namespace culprit
