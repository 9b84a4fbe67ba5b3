// All turns of an endless loop are alike, so only the first ones are looked at: from the last time that a branch went a
// way for the first time. Most altered runs hang as well and end at the limit on branches, which is what they cost. How
// many a good run would take nobody knows. So all are tried with a low limit first, and, when none of them succeeds,
// again with higher ones: as many more as a short program takes in all, and as many as a long one.

#include "locate/endless_run.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace culprit {
namespace {

constexpr size_t kTurns = 10'000;  // branch instances kept of the loop
constexpr size_t kWindow = 24;     // experiments that are long are made in the order of their promise
constexpr uint64_t kSeconds = 5;
constexpr std::array<uint64_t, 3> kLimits = {100'000, 1'000'000, 20'000'000};  // branch instances more than those kept

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

SwitchingResult switch_in_endless_run(const Launch& launch, const program::ProgramModel& model, const BranchLog& log,
                                      const Oracle& oracle, const SwitchingBudget& budget,
                                      const SwitchingProgress& progress) {
  const uint64_t entered = log.first_instance + log.entries.size();
  SwitchingBudget part = budget;
  part.time = budget.time / kLimits.size();
  part.limits.cpu_seconds = kSeconds;
  part.window = kWindow;
  SwitchingResult result;
  for (const uint64_t limit : kLimits) {
    part.limits.branches = entered + limit;
    part.pairs = budget.pairs && limit == kLimits.back();
    SwitchingResult next = switch_predicates(launch, model, log, oracle, part, progress);
    // What only makes the output right for longer ends no search.
    if (next.critical.empty()) next.critical = std::move(result.critical);
    next.experiments += result.experiments;
    result = std::move(next);
    const bool repaired = std::any_of(result.critical.begin(), result.critical.end(), [](const CriticalBranch& each) {
      return each.verified && each.repair == Repair::kRepairs;
    });
    if (repaired) break;
  }
  return result;
}

}  // namespace culprit
