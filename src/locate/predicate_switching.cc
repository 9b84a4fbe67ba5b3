// The idea (FIC §4.1, after Zhang, Gupta and Gupta, "Locating faults through automated predicate switching"): run the
// failing program again and again, each time with one executed branch inverted, until a run succeeds. There each try
// cost a whole run. Here one run, the spine, passes by all instances that are to be tried and forks at each; the child
// needs only the rest of the run, in a sealed world, and children run in parallel. Instances are tried in windows from
// the end of the run backwards (last executed first), a window being what one spine serves; of one branch only the last
// instances are tried, because a loop's thousand earlier ones say little more.
//
// Every instance that helped is switched once more in a fresh process that does nothing else, before it is reported.

#include "locate/predicate_switching.h"

#include <sys/wait.h>

#include <algorithm>
#include <unordered_map>

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kWindow = 512;          // experiments of one spine
constexpr uint64_t kMostBranchesMore = 8;  // an altered run may take so many times the failing run's branches
constexpr uint64_t kBranchesAtLeast = 100'000;

Repair judge(const format::ExperimentRecord& experiment, const Oracle& oracle) {
  if (!experiment.finished || !WIFEXITED(experiment.wait_status)) return Repair::kNone;
  if (experiment.stop.reason != format::StopReason::kNone) return Repair::kNone;
  const bool output_right = oracle.output ? experiment.first_difference == ~uint64_t{0}
                                          : experiment.first_difference >= oracle.output_prefix.size();
  if (!output_right) return Repair::kNone;
  return WEXITSTATUS(experiment.wait_status) == oracle.exit_status.value_or(0) ? Repair::kRepairs : Repair::kSurvives;
}

/// Instances worth trying, last first.
std::vector<uint64_t> candidates(const ControlBlock::BranchLog& log, uint64_t per_branch, bool& all) {
  std::unordered_map<uint32_t, uint64_t> tried;
  std::vector<uint64_t> instances;
  all = true;
  for (size_t i = log.entries.size(); i-- > 0;) {
    if (tried[log.entries[i].block_and_taken >> 1]++ < per_branch) {
      instances.push_back(log.first_instance + i);
    } else {
      all = false;
    }
  }
  return instances;
}

class Search {
 public:
  Search(const Launch& launch, const ControlBlock::BranchLog& log, const Oracle& oracle, const SwitchingBudget& budget)
      : launch_(launch), log_(log), oracle_(oracle), deadline_(Clock::now() + budget.time) {}

  /// Tries the instances (ascending) in one spine.
  std::vector<CriticalBranch> try_instances(const std::vector<uint64_t>& instances) {
    const uint64_t failing_branches = log_.first_instance + log_.entries.size() - 1;
    ControlSetup setup;
    setup.mode = format::SessionMode::kExperiments;
    setup.branch_limit = std::max(failing_branches * kMostBranchesMore, kBranchesAtLeast);
    setup.switched_instances = instances;
    setup.expected_output = oracle_.output ? *oracle_.output : oracle_.output_prefix;
    const ControlBlock control(setup);
    ControlledRun run(launch_, control);
    run.wait_for_stop(std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(deadline_ - Clock::now(), Clock::duration(std::chrono::seconds(1)))));
    std::vector<CriticalBranch> found;
    for (const format::ExperimentRecord& experiment : control.experiments()) {
      const Repair repair = judge(experiment, oracle_);
      if (repair == Repair::kNone) continue;
      const format::BranchEntry entry = log_.entries[experiment.instance - log_.first_instance];
      found.push_back({.instance = experiment.instance,
                       .block = entry.block_and_taken >> 1,
                       .occurrence = occurrence(experiment.instance),
                       .taken = (entry.block_and_taken & 1) != 0,
                       .repair = repair});
    }
    return found;
  }

  bool out_of_time() const { return Clock::now() >= deadline_; }

 private:
  uint64_t occurrence(uint64_t instance) const {
    if (log_.first_instance != 1) return 0;
    const uint32_t block = log_.entries[instance - 1].block_and_taken >> 1;
    return static_cast<uint64_t>(std::count_if(log_.entries.begin(), log_.entries.begin() + static_cast<long>(instance),
                                               [block](auto entry) { return entry.block_and_taken >> 1 == block; }));
  }

  const Launch& launch_;
  const ControlBlock::BranchLog& log_;
  const Oracle& oracle_;
  Clock::time_point deadline_;
};

/// The nearest and the first instance of each branch: the others repeat what these say.
std::vector<CriticalBranch> worth_verifying(const std::vector<CriticalBranch>& nearest_first) {
  std::unordered_map<uint32_t, std::pair<size_t, size_t>> ends;
  for (size_t i = 0; i < nearest_first.size(); ++i) {
    const auto [at, fresh] = ends.try_emplace(nearest_first[i].block, i, i);
    if (!fresh) at->second.second = i;
  }
  std::vector<CriticalBranch> kept;
  for (size_t i = 0; i < nearest_first.size(); ++i) {
    const auto& [nearest, first] = ends.at(nearest_first[i].block);
    if (i == nearest || i == first) kept.push_back(nearest_first[i]);
  }
  return kept;
}

}  // namespace

SwitchingResult switch_predicates(const Launch& launch, const ControlBlock::BranchLog& log, const Oracle& oracle,
                                  const SwitchingBudget& budget, const SwitchingProgress& progress) {
  Search search(launch, log, oracle, budget);
  SwitchingResult result;
  bool all = true;
  const std::vector<uint64_t> instances = candidates(log, budget.per_branch, all);
  const uint64_t planned = std::min<uint64_t>(instances.size(), budget.experiments);

  std::vector<CriticalBranch> found;
  while (result.experiments < planned && !search.out_of_time() && progress(result.experiments, planned)) {
    const auto first = instances.begin() + static_cast<long>(result.experiments);
    const auto last = first + static_cast<long>(std::min(kWindow, planned - result.experiments));
    const std::vector<uint64_t> window(std::make_reverse_iterator(last), std::make_reverse_iterator(first));
    result.experiments += window.size();
    std::vector<CriticalBranch> of_window = search.try_instances(window);
    found.insert(found.end(), of_window.rbegin(), of_window.rend());
  }
  result.complete = all && log.first_instance == 1 && result.experiments == instances.size();

  result.critical = worth_verifying(found);
  for (CriticalBranch& each : result.critical) {
    if (search.out_of_time() && &each != &result.critical.front()) break;
    ++result.experiments;
    const auto again = search.try_instances({each.instance});
    each.verified = again.size() == 1 && again.front().repair == each.repair;
  }
  return result;
}

}  // namespace culprit
