// The idea (FIC §4.1, after Zhang, Gupta and Gupta, "Locating faults through automated predicate switching"): run the
// failing program again and again, each time with one executed branch inverted, until a run succeeds. There each try
// cost a whole run. Here one run, the spine, passes by all instances that are to be tried and forks at each; the child
// needs only the rest of the run, in a sealed world, and children run in parallel. Instances are tried in windows from
// the end of the run backwards (last executed first), a window being what one spine serves. A loop's thousand instances
// say little more than a few, so the last few and the first of every branch come before more of each.
//
// Every instance that helped is switched once more in a fresh process that does nothing else, before it is reported.

#include "locate/predicate_switching.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "locate/failure.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kWindow = 512;          // experiments of one spine
constexpr uint64_t kMostBranchesMore = 2;  // an altered run may take so many times the failing run's branches
constexpr uint64_t kBranchesAtLeast = 100'000;
constexpr uint64_t kFewBytes = 8;
constexpr uint64_t kKeptOutputs = uint64_t{1} << 28;  // of one window; used as far as outputs are long
constexpr Clock::duration kLeastRun = std::chrono::seconds(1);
constexpr size_t kMostVerified = 24;
constexpr size_t kEnoughRepairing = 12;
constexpr std::array<uint64_t, 3> kPasses = {2, 10, ~uint64_t{0}};  // instances of each branch, from the last one

using Experiment = SwitchedBranch;

/// Of the failing run's or the altered run's output, what lies between the parts that both have.
uint64_t changed_bytes(const format::ExperimentRecord& experiment, const Oracle& oracle) {
  const uint64_t longer = std::max<uint64_t>(experiment.output_bytes, oracle.unaltered_output.size());
  return longer - experiment.same_start - experiment.same_end;
}

/// Who says what is to be printed, and not with which exit status, does not mind it: some warn by one.
bool is_good_status(int wait_status, const Oracle& oracle) {
  if (oracle.output && !oracle.exit_status) return true;
  return WEXITSTATUS(wait_status) == oracle.exit_status.value_or(0);
}

Repair judge(const format::ExperimentRecord& experiment, const ControlBlock& control, const Oracle& oracle) {
  if (!experiment.finished) return Repair::kNone;
  if (oracle.good) {
    const std::optional<std::string_view> output = control.output_of(experiment);
    if (!output || experiment.stop.reason == format::StopReason::kLimit) return Repair::kNone;
    return oracle.good(*output, experiment.wait_status) ? Repair::kRepairs : Repair::kNone;
  }
  const bool right = oracle.output ? experiment.first_difference == ~uint64_t{0}
                                   : experiment.first_difference >= oracle.output_prefix.size();
  const bool ended = WIFEXITED(experiment.wait_status) && experiment.stop.reason == format::StopReason::kNone;
  if (right && ended) {
    return is_good_status(experiment.wait_status, oracle) ? Repair::kRepairs : Repair::kSurvives;
  }
  if (!oracle.output || oracle.right_bytes == ~uint64_t{0}) return Repair::kNone;
  if (experiment.first_difference > oracle.right_bytes) return Repair::kFurther;
  const bool confined = ended && experiment.same_start == oracle.right_bytes && experiment.same_end != 0 &&
                        changed_bytes(experiment, oracle) <= kFewBytes;
  return confined ? Repair::kInfluences : Repair::kNone;
}

/// Instances worth trying with their alternatives, those of each pass last first.
std::vector<Experiment> candidates(const program::ProgramModel& model, const ControlBlock::BranchLog& log,
                                   const SwitchingBudget& budget, std::vector<size_t>& pass_ends, bool& all) {
  std::unordered_map<uint32_t, uint64_t> total, seen;
  for (const format::BranchEntry& entry : log.entries) ++total[entry.block];
  std::array<std::vector<Experiment>, kPasses.size()> passes;
  std::vector<Experiment> inverted;
  all = true;
  for (size_t i = log.entries.size(); i-- > 0;) {
    const auto [block, way] = log.entries[i];
    const uint64_t from_last = seen[block]++;
    const bool first = from_last + 1 == total[block];
    if (from_last >= budget.per_branch && !first) {
      all = false;
      continue;
    }
    // A condition that is wrong altogether is right when each execution is inverted.
    const program::Indices edges = model.edges_of(block);
    const bool two_sides = edges.size() == 2 && model.edge(edges[0]).target != model.edge(edges[1]).target;
    if (first && two_sides && way < 2) {
      inverted.push_back(
          {.instance = log.first_instance + i, .way = 1 - way, .scope = format::SwitchScope::kEachInverted});
    }
    size_t pass = 0;
    while (!first && from_last >= kPasses[pass]) ++pass;
    // Edges to the same block are one alternative.
    std::vector<uint32_t> targets;
    if (way < edges.size()) targets.push_back(model.edge(edges[way]).target);
    for (uint32_t other = 0; other < edges.size() && targets.size() <= budget.ways; ++other) {
      const uint32_t target = model.edge(edges[other]).target;
      if (std::find(targets.begin(), targets.end(), target) != targets.end()) continue;
      targets.push_back(target);
      passes[pass].push_back({.instance = log.first_instance + i, .way = other});
    }
  }
  std::vector<Experiment> experiments;
  const auto distance = [&](const Experiment& each) {
    const auto known = budget.distance.find(log.entries[each.instance - log.first_instance].block);
    return known == budget.distance.end() ? ~uint32_t{0} : known->second;
  };
  const auto nearer = [&](const Experiment& one, const Experiment& other) { return distance(one) < distance(other); };
  std::stable_sort(inverted.begin(), inverted.end(), nearer);
  for (auto& pass : passes) {
    std::stable_sort(pass.begin(), pass.end(), nearer);
    experiments.insert(experiments.end(), pass.begin(), pass.end());
    pass_ends.push_back(experiments.size());
    if (&pass != &passes.front()) continue;
    experiments.insert(experiments.end(), inverted.begin(), inverted.end());
    pass_ends.push_back(experiments.size());
  }
  return experiments;
}

class Search {
 public:
  Search(const Launch& launch, const ControlBlock::BranchLog& log, const Oracle& oracle, const SwitchingBudget& budget)
      : launch_(launch), log_(log), oracle_(oracle), deadline_(Clock::now() + budget.time) {}

  /// Makes the experiments (ascending) in one spine.
  std::vector<CriticalBranch> make(const std::vector<Experiment>& experiments, Clock::time_point until) {
    const uint64_t failing_branches = log_.first_instance + log_.entries.size() - 1;
    ControlSetup setup;
    setup.mode = format::SessionMode::kExperiments;
    setup.branch_limit = failing_branches * kMostBranchesMore + kBranchesAtLeast;
    setup.switched = experiments;
    setup.expected_output = oracle_.output ? *oracle_.output : oracle_.output_prefix;
    setup.unaltered_output = oracle_.unaltered_output;
    if (oracle_.good) setup.keep_outputs = kKeptOutputs;
    const ControlBlock control(setup);
    ControlledRun run(launch_, control);
    run.wait_for_stop(std::chrono::duration_cast<std::chrono::milliseconds>(std::max(until - Clock::now(), kLeastRun)));
    std::vector<CriticalBranch> found;
    for (const format::ExperimentRecord& experiment : control.experiments()) {
      if (experiment.finished) ++finished_;
      const Repair repair = judge(experiment, control, oracle_);
      if (repair == Repair::kNone) continue;
      const format::BranchEntry entry = log_.entries[experiment.instance - log_.first_instance];
      found.push_back({.instance = experiment.instance,
                       .block = entry.block,
                       .occurrence = occurrence(experiment.instance),
                       .way = entry.way,
                       .other_way = experiment.way,
                       .repair = repair,
                       .scope = experiment.scope,
                       .changed_bytes = changed_bytes(experiment, oracle_),
                       .right_bytes = experiment.first_difference});
    }
    return found;
  }

  bool out_of_time() const { return Clock::now() >= deadline_; }
  uint64_t finished() const { return finished_; }

 private:
  uint64_t occurrence(uint64_t instance) const {
    if (log_.first_instance != 1) return 0;
    const uint32_t block = log_.entries[instance - 1].block;
    return static_cast<uint64_t>(std::count_if(log_.entries.begin(), log_.entries.begin() + static_cast<long>(instance),
                                               [block](auto entry) { return entry.block == block; }));
  }

  const Launch& launch_;
  const ControlBlock::BranchLog& log_;
  const Oracle& oracle_;
  Clock::time_point deadline_;
  uint64_t finished_ = 0;
};

/// What repairs before what only helps; the nearest and the first instance of each branch: the others repeat what these
/// say.
std::vector<CriticalBranch> worth_verifying(std::vector<CriticalBranch> found) {
  std::stable_sort(found.begin(), found.end(), [](const CriticalBranch& one, const CriticalBranch& other) {
    if (one.repair != other.repair) return one.repair > other.repair;
    if (one.repair == Repair::kFurther && one.right_bytes != other.right_bytes)
      return one.right_bytes > other.right_bytes;
    // What is decided early and still changes only those bytes is where they come from.
    if (one.repair == Repair::kInfluences) {
      return one.changed_bytes != other.changed_bytes ? one.changed_bytes < other.changed_bytes
                                                      : one.instance < other.instance;
    }
    return one.instance > other.instance;
  });
  std::unordered_map<uint32_t, std::pair<size_t, size_t>> ends;
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [at, fresh] = ends.try_emplace(found[i].block, i, i);
    if (!fresh && found[i].repair == found[at->second.first].repair) at->second.second = i;
  }
  std::vector<CriticalBranch> kept;
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& [nearest, first] = ends.at(found[i].block);
    if (i == nearest || i == first) kept.push_back(found[i]);
  }
  if (kept.size() > kMostVerified) kept.resize(kMostVerified);
  return kept;
}

}  // namespace

bool is_good_end(const ObservedEnd& end, const Oracle& oracle) {
  if (end.timed_out || !WIFEXITED(end.wait_status) || end.stop.reason != format::StopReason::kNone) return false;
  if (oracle.good) return oracle.good(end.output, end.wait_status);
  const bool right = oracle.output ? end.output == *oracle.output : end.output.starts_with(oracle.output_prefix);
  return right && is_good_status(end.wait_status, oracle);
}

SwitchingResult switch_predicates(const Launch& launch, const program::ProgramModel& model,
                                  const ControlBlock::BranchLog& log, const Oracle& oracle,
                                  const SwitchingBudget& budget, const SwitchingProgress& progress) {
  Search search(launch, log, oracle, budget);
  SwitchingResult result;
  bool all = true;
  std::vector<size_t> pass_ends;
  const std::vector<Experiment> planned = candidates(model, log, budget, pass_ends, all);
  const size_t most = std::min<size_t>(planned.size(), budget.experiments);

  std::vector<CriticalBranch> found;
  size_t done = 0;
  std::unordered_set<uint32_t> repairing;
  auto pass_end = pass_ends.begin();
  const Clock::time_point deadline = Clock::now() + budget.time;
  const Clock::time_point verification = Clock::now() + budget.time * 2 / 3;
  const Clock::time_point singles_end = Clock::now() + budget.time / 2;
  while (done < most && Clock::now() < singles_end && progress(done, most)) {
    // Once many branches are known to repair the run, more instances of each say little.
    while (pass_end != pass_ends.end() && done >= *pass_end) ++pass_end;
    if (pass_end != pass_ends.begin() && repairing.size() >= kEnoughRepairing) break;
    const auto first = planned.begin() + static_cast<long>(done);
    const auto last = first + static_cast<long>(std::min<size_t>(kWindow, most - done));
    std::vector<Experiment> window(first, last);
    std::stable_sort(window.begin(), window.end(), [](auto one, auto other) { return one.instance < other.instance; });
    done += window.size();
    std::vector<CriticalBranch> of_window = search.make(window, singles_end);
    for (const CriticalBranch& each : of_window) {
      if (each.repair == Repair::kRepairs) repairing.insert(each.block);
    }
    found.insert(found.end(), of_window.begin(), of_window.end());
  }
  // A branch that is wrong is often wrong each time: where one switch helped only so far, its later executions follow.
  std::vector<Experiment> repeated;
  for (const CriticalBranch& each : found) {
    if (each.repair != Repair::kFurther) continue;
    repeated.push_back({.instance = each.instance, .way = each.other_way, .scope = format::SwitchScope::kSameWay});
  }
  std::stable_sort(repeated.begin(), repeated.end(),
                   [](auto one, auto other) { return one.instance < other.instance; });
  if (!repairing.empty()) repeated.clear();  // where a single one repairs the run, they say nothing
  size_t done_again = 0;
  for (size_t at = 0; at < repeated.size() && Clock::now() < verification; at += kWindow) {
    const auto first = repeated.begin() + static_cast<long>(at);
    const auto last = first + static_cast<long>(std::min<size_t>(kWindow, repeated.size() - at));
    done_again += static_cast<size_t>(last - first);
    std::vector<CriticalBranch> of_window = search.make({first, last}, verification);
    found.insert(found.end(), of_window.begin(), of_window.end());
  }
  result.complete = all && log.first_instance == 1 && search.finished() == planned.size() + done_again &&
                    done_again == repeated.size();

  result.critical = worth_verifying(std::move(found));
  for (CriticalBranch& each : result.critical) {
    if (search.out_of_time() && &each != &result.critical.front()) break;
    const auto again = search.make({{.instance = each.instance, .way = each.other_way, .scope = each.scope}}, deadline);
    each.verified = again.size() == 1 && again.front().repair == each.repair;
  }
  result.experiments = search.finished();
  return result;
}

}  // namespace culprit
