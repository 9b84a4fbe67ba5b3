// All turns of an endless loop are alike, so only the first ones are looked at: from the last time that a branch went a
// way for the first time. Most altered runs hang as well and end at the limit on branches, which is what they cost. How
// many a good run would take nobody knows. So all are tried with a low limit first, and, when none of them succeeds,
// once more with a high one.

#include "locate/endless_run.h"

#include <algorithm>
#include <vector>

namespace culprit {
namespace {

constexpr size_t kTurns = 10'000;  // branch instances kept of the loop
constexpr size_t kWindow = 24;     // experiments that are long are made in the order of their promise
constexpr uint64_t kSeconds = 5;
constexpr uint64_t kLowLimit = 1'000'000;  // branch instances more than those kept
constexpr uint64_t kHighLimit = 20'000'000;

}  // namespace

BranchLog first_turns(const program::ProgramModel& model, const BranchLog& log) {
  std::vector<uint64_t> ways(model.blocks().size());  // that were taken, as bits; of wide branches several share one
  size_t last_new = 0;
  for (size_t i = 0; i < log.entries.size(); ++i) {
    const auto [block, way] = log.entries[i];
    const uint64_t bit = uint64_t{1} << std::min(way, 63U);
    if ((ways[block] & bit) == 0) last_new = i;
    ways[block] |= bit;
  }
  BranchLog result{.first_instance = log.first_instance, .entries = {}, .turns = log.turns};
  const size_t kept = std::min(log.entries.size(), last_new + kTurns);
  result.entries.assign(log.entries.begin(), log.entries.begin() + static_cast<long>(kept));
  return result;
}

SwitchingResult switch_in_endless_run(const Launch& launch, const program::ProgramModel& model,
                                      const BranchLog& log, const Oracle& oracle,
                                      const SwitchingBudget& budget, const SwitchingProgress& progress) {
  const uint64_t entered = log.first_instance + log.entries.size();
  SwitchingBudget part = budget;
  part.time = budget.time / 2;
  part.limits.cpu_seconds = kSeconds;
  part.limits.branches = entered + kLowLimit;
  part.pairs = false;
  part.window = kWindow;
  SwitchingResult result = switch_predicates(launch, model, log, oracle, part, progress);
  if (!result.critical.empty()) return result;
  part.limits.branches = entered + kHighLimit;
  part.pairs = budget.pairs;
  const uint64_t before = result.experiments;
  result = switch_predicates(launch, model, log, oracle, part, progress);
  result.experiments += before;
  return result;
}

}  // namespace culprit
