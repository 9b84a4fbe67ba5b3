// Predicate switching (FIC §4.1): which branch instance, had it gone the other way, would have let the failing run
// succeed. Such an instance is critical: the failure passed through it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "locate/experiments.h"
#include "program/program_model.h"
#include "session/controlled_run.h"

namespace culprit {

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
  /// A second branch that had to be switched, too, in its execution number `then_number` after the first; 0: none.
  uint32_t then_block = 0;
  uint32_t then_way = 0;  ///< where it went then
  uint64_t then_number = 0;
  bool verified = false;                              ///< by a fresh run
  uint64_t executions = 0;                            ///< of the counted statement in that run, from the switch on
  uint64_t executions_in_round = 0;                   ///< those in the round in which the failing run ended
  std::optional<bool> passes_failure = std::nullopt;  ///< passed_failure.h, once known
};

struct SwitchingBudget {
  uint64_t experiments = 20'000;
  std::chrono::milliseconds time{12'000};  ///< a third is kept for verifying
  uint64_t per_branch = 48;                ///< most instances tried of one branch, the last ones
  uint64_t ways = 6;                       ///< most alternatives tried of one instance of a switch
  RunLimits limits{};                      ///< of altered runs
  size_t window = 512;                     ///< experiments that one run of the program serves
  bool pairs = true;                       ///< where no single switch repairs the run, two are tried
  /// Whose executions in altered runs are to be told, and in which rounds; the round itself is that of the failure.
  CountedStatement counted{};
  /// Blocks whose branches the failure depended on, and how far from it: these are tried first.
  std::unordered_map<uint32_t, uint32_t> distance{};
  /// And of their instances those on which it depended most closely: a loop's last ones may have nothing to do with it.
  std::unordered_map<uint64_t, uint32_t> near{};
};

struct SwitchingResult {
  std::vector<CriticalBranch> critical;  ///< what repairs first; of equals the nearest to the failure first
  uint64_t experiments = 0;
  uint64_t pairs = 0;     ///< of them
  bool complete = false;  ///< every executed instance in the log was tried
  bool enough = false;    ///< it stopped because so many branches repair the run
};

/// Called now and then with the experiments done and planned; false interrupts the search.
using SwitchingProgress = std::function<bool(uint64_t done, uint64_t planned)>;

/// `log`: of the failing run, up to the failure.
SwitchingResult switch_predicates(const Launch& launch, const program::ProgramModel& model, const BranchLog& log,
                                  const Oracle& oracle, const SwitchingBudget& budget,
                                  const SwitchingProgress& progress);

}  // namespace culprit
