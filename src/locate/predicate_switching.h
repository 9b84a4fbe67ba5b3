// Predicate switching (FIC §4.1): which branch instance, had it gone the other way, would have let the failing run
// succeed. Such an instance is critical: the failure passed through it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program_model.h"
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

/// An instance whose switching changed the failing run's end for the better.
struct CriticalBranch {
  uint64_t instance = 0;    ///< among all branch instances of the run, from 1
  uint32_t block = 0;       ///< program model: the block that ends in the branch
  uint64_t occurrence = 0;  ///< which execution of this branch, from 1; 0 when older ones are no longer in the log
  uint32_t way = 0;         ///< the outgoing edge that the failing run took, by position
  uint32_t other_way = 0;   ///< and the one that helped
  Repair repair = Repair::kNone;
  format::SwitchScope scope = format::SwitchScope::kInstance;
  uint64_t changed_bytes = 0;  ///< of the output, between what is as in the failing run
  uint64_t right_bytes = 0;    ///< of the expected output, printed by the altered run
  bool verified = false;       ///< by a fresh run
};

struct SwitchingBudget {
  uint64_t experiments = 20'000;
  std::chrono::milliseconds time{12'000};  ///< a third is kept for verifying
  uint64_t per_branch = 48;                ///< most instances tried of one branch, the last ones
  uint64_t ways = 6;                       ///< most alternatives tried of one instance of a switch
  /// Blocks whose branches the failure depended on, and how far from it: these are tried first.
  std::unordered_map<uint32_t, uint32_t> distance{};
};

struct SwitchingResult {
  std::vector<CriticalBranch> critical;  ///< what repairs first; of equals the nearest to the failure first
  uint64_t experiments = 0;
  bool complete = false;  ///< every executed instance in the log was tried
};

/// Called now and then with the experiments done and planned; false interrupts the search.
using SwitchingProgress = std::function<bool(uint64_t done, uint64_t planned)>;

/// `log`: of the failing run, up to the failure.
SwitchingResult switch_predicates(const Launch& launch, const program::ProgramModel& model,
                                  const ControlBlock::BranchLog& log, const Oracle& oracle,
                                  const SwitchingBudget& budget, const SwitchingProgress& progress);

}  // namespace culprit
