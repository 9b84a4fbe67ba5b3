// All turns of an endless loop are alike, so only the first ones are looked at: from the last time that a branch went a
// way for the first time. Most altered runs hang as well and end at the limit on branches, which is what they cost. How
// many a good run would take nobody knows. So all are tried with a low limit first, and, when none of them succeeds,
// once more with a high one.

#include "locate/endless_run.h"

#include <algorithm>
#include <unordered_set>

namespace culprit {
namespace {

constexpr size_t kTurns = 10'000;  // branch instances kept of the loop
constexpr size_t kWindow = 24;     // experiments that are long are made in the order of their promise
constexpr uint64_t kSeconds = 5;
constexpr uint64_t kLowLimit = 1'000'000;  // branch instances more than those kept
constexpr uint64_t kHighLimit = 20'000'000;

ControlBlock::BranchLog first_turns(const ControlBlock::BranchLog& log) {
  std::unordered_set<uint64_t> ways;
  size_t last_new = 0;
  for (size_t i = 0; i < log.entries.size(); ++i) {
    if (ways.insert(uint64_t{log.entries[i].block} << 32 | log.entries[i].way).second) last_new = i;
  }
  ControlBlock::BranchLog result{.first_instance = log.first_instance, .entries = {}};
  const size_t kept = std::min(log.entries.size(), last_new + kTurns);
  result.entries.assign(log.entries.begin(), log.entries.begin() + static_cast<long>(kept));
  return result;
}

}  // namespace

SwitchingResult switch_in_endless_run(const Launch& launch, const program::ProgramModel& model,
                                      const ControlBlock::BranchLog& log, const Oracle& oracle,
                                      const SwitchingBudget& budget, const SwitchingProgress& progress) {
  const ControlBlock::BranchLog turns = first_turns(log);
  const uint64_t entered = turns.first_instance + turns.entries.size();
  SwitchingBudget part = budget;
  part.time = budget.time / 2;
  part.limits.cpu_seconds = kSeconds;
  part.limits.branches = entered + kLowLimit;
  part.pairs = false;
  part.window = kWindow;
  SwitchingResult result = switch_predicates(launch, model, turns, oracle, part, progress);
  if (!result.critical.empty()) return result;
  part.limits.branches = entered + kHighLimit;
  part.pairs = budget.pairs;
  const uint64_t before = result.experiments;
  result = switch_predicates(launch, model, turns, oracle, part, progress);
  result.experiments += before;
  return result;
}

}  // namespace culprit
