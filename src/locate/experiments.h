// Altered runs and what they say: an experiment is good when the altered run ends as a good run does.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/controlled_run.h"

namespace culprit {

/// What a run has to do to count as repaired.
struct Oracle {
  std::optional<int> exit_status;     ///< expected; nothing: 0, or any where an output is expected
  std::optional<std::string> output;  ///< expected standard output, whole; nothing: weak, see output_prefix
  std::function<bool(std::string_view output, int wait_status)> good;  ///< the user's own word instead of all below
  std::string output_prefix;            ///< weak: what the failing run had printed must be printed again
  std::string unaltered_output;         ///< of the failing run
  uint64_t right_bytes = ~uint64_t{0};  ///< with an expected output: how many bytes of it the failing run printed right
  bool only_status = false;  ///< the failing run ended by itself, and nothing but its exit status is known to be wrong
};

struct ObservedEnd;
/// Whether a whole run ended as a good one does.
bool is_good_end(const ObservedEnd& end, const Oracle& oracle);

enum class Repair {
  kNone,        ///< fails as before, or otherwise, or hangs
  kInfluences,  ///< the first wrong bytes change, and little else of the output
  kFurther,     ///< the output is right for longer than in the failing run, not to its end
  kSurvives,    ///< ends by itself, but with another exit status than a good run
  kRepairs,     ///< ends as a good run does
};

/// An experiment that changed the failing run's end for the better.
struct HelpfulExperiment {
  PlannedExperiment planned;
  Repair repair = Repair::kNone;
  uint64_t changed_bytes = 0;        ///< of the output, between what is as in the failing run
  uint64_t right_bytes = 0;          ///< of the expected output, printed by the altered run
  uint64_t executions = 0;           ///< of the counted statement, after a branch was switched
  uint64_t executions_in_round = 0;  ///< those in the counted round
};

/// What is counted in altered runs (format::SessionControl).
struct CountedStatement {
  uint32_t statement = format::kNoStatement;
  uint32_t round_block = format::kNoBlock;  ///< program model: whose branch begins each round
  uint64_t round = 0;                       ///< after the switch
  uint32_t thread = 0;                      ///< whose rounds they are
};

/// What an altered run may use.
struct RunLimits {
  uint64_t branches = 0;                     ///< branch instances in all
  uint64_t memory_more = uint64_t{4} << 30;  ///< bytes beyond what it has when it begins
  uint64_t cpu_seconds = 5;                  ///< for what executes no branches: native code
};

/// Limits by what the failing run used, which executed so many branch instances.
RunLimits usual_limits(const ObservedEnd& failing, uint64_t failing_branches);

/// Makes experiments on one failing run.
class Experimenter {
 public:
  using Clock = std::chrono::steady_clock;

  /// The references must outlive it.
  Experimenter(const Launch& launch, const RunLimits& limits, const Oracle& oracle)
      : launch_(launch), limits_(limits), oracle_(oracle) {}

  /// Makes the experiments (ascending by instance) in one run of the program, in as much time as there is until then, a
  /// second at least. Those that helped, in their order.
  std::vector<HelpfulExperiment> make(const std::vector<PlannedExperiment>& experiments, Clock::time_point until);

  /// From now on.
  void count(const CountedStatement& counted) { counted_ = counted; }

  /// Experiments that came to their ends so far.
  uint64_t finished() const { return finished_; }

 private:
  const Launch& launch_;
  RunLimits limits_;
  const Oracle& oracle_;
  uint64_t finished_ = 0;
  CountedStatement counted_;
};

}  // namespace culprit
