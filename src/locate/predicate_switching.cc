// The idea (FIC §4.1, after Zhang, Gupta and Gupta, "Locating faults through automated predicate switching"): run the
// failing program again and again, each time with one executed branch inverted, until a run succeeds. There each try
// cost a whole run. Here one run, the spine, passes by all instances that are to be tried and forks at each; the child
// needs only the rest of the run, in a sealed world, and children run in parallel. Instances are tried in windows from
// the end of the run backwards (last executed first), a window being what one spine serves. A loop's thousand instances
// say little more than a few, so the last few and the first of every branch come before more of each. Where it is known
// on which instances the failure depended, the nearest of every branch come with those: of a text that a loop made, the
// wrong byte need not be the last.
//
// The paper switches one instance. But a condition that is wrong goes wrong in all of its executions, or in those that
// went one way: so all are inverted, too, and, where nothing has repaired the run, kept from a way.
//
// Every instance that helped is switched once more in a fresh process that does nothing else, before it is reported.

#include "locate/predicate_switching.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "locate/own_statements.h"
#include "locate/passed_failure.h"

namespace culprit {
namespace {

using Clock = Experimenter::Clock;

constexpr size_t kMostVerified = 32;
constexpr std::ptrdiff_t kFirstOnes = 3;  // of a branch's instances that help
constexpr size_t kEnoughRepairing = 12;
constexpr size_t kMostPartners = 40;                                // single switches that are tried in pairs
constexpr std::array<uint64_t, 3> kPasses = {2, 10, ~uint64_t{0}};  // instances of each branch, from the last one

constexpr uint32_t kNotNear = 2;  // an instance of which no distance is known counts as one decision farther

using Experiment = PlannedExperiment;

/// What is to be tried, in this order.
struct SwitchingPlan {
  std::vector<Experiment> experiments;
  std::vector<size_t> pass_ends;                ///< positions
  size_t constant_begin = 0, constant_end = 0;  ///< the pass of branches that are made constant
  bool all = true;                              ///< of the log no instance is left out
};

/// Where branches can go instead.
class Alternatives {
 public:
  Alternatives(const program::ProgramModel& model, const BranchLog& log, uint64_t most) : model_(model), most_(most) {
    constexpr uint32_t kLastBit = 63;                   // for all ways from there on
    std::vector<uint64_t> ways(model.blocks().size());  // as bits: a log may be long
    for (size_t i = 0; i < log.entries.size(); ++i) {
      const auto [block, way] = log.entries[i];
      const uint64_t bit = uint64_t{1} << std::min(way, kLastBit);
      if (way < kLastBit && (ways[block] & bit) != 0) continue;
      ways[block] |= bit;
      first_.try_emplace({block, way}, log.first_instance + i);
    }
  }

  /// The other ways of a branch that went `way`, those first that it went another time; as many as are to be tried.
  /// Edges to the same block are one.
  std::vector<uint32_t> to(uint32_t block, uint32_t way) const {
    const program::Indices edges = model_.edges_of(block);
    std::vector<uint32_t> targets, ways;
    if (way < edges.size()) targets.push_back(model_.edge(edges[way]).target);
    const auto add = [&](uint32_t other) {
      if (other >= edges.size() || ways.size() >= most_) return;
      const uint32_t target = model_.edge(edges[other]).target;
      if (std::find(targets.begin(), targets.end(), target) != targets.end()) return;
      targets.push_back(target);
      ways.push_back(other);
    };
    for (auto at = first_.lower_bound({block, 0}); at != first_.end() && at->first.first == block; ++at) {
      add(at->first.second);
    }
    for (uint32_t other = 0; other < edges.size(); ++other) add(other);
    return ways;
  }

  /// Of each way that a branch went in the log, by block and way, the first instance.
  const std::map<std::pair<uint32_t, uint32_t>, uint64_t>& first_instances() const { return first_; }

  bool always_goes(uint32_t block, uint32_t way) const {
    const auto at = first_.find({block, way});
    const bool before = at != first_.begin() && std::prev(at)->first.first == block;
    const bool after = std::next(at) != first_.end() && std::next(at)->first.first == block;
    return !before && !after;
  }

 private:
  const program::ProgramModel& model_;
  uint64_t most_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> first_;
};

bool has_two_sides(const program::ProgramModel& model, uint32_t block) {
  const program::Indices edges = model.edges_of(block);
  return edges.size() == 2 && model.edge(edges[0]).target != model.edge(edges[1]).target;
}

/// Branches that are kept from each of the ways that they went. One with two sides that always went the same way is
/// left out: inverting its executions does that.
std::vector<Experiment> constant_branches(const program::ProgramModel& model, const Alternatives& alternatives) {
  std::vector<Experiment> experiments;
  for (const auto& [taken, instance] : alternatives.first_instances()) {
    const auto [block, way] = taken;
    if (cleans_up(model, block) || (has_two_sides(model, block) && alternatives.always_goes(block, way))) continue;
    for (const uint32_t other : alternatives.to(block, way)) {
      experiments.push_back({.instance = instance, .way = other, .scope = format::SwitchScope::kSameWay});
    }
  }
  return experiments;
}

/// Instances worth trying with their alternatives, those of each pass nearest to the failure first.
SwitchingPlan plan_switching(const program::ProgramModel& model, const BranchLog& log, const SwitchingBudget& budget) {
  SwitchingPlan plan;
  const Alternatives alternatives(model, log, budget.ways);
  std::unordered_map<uint32_t, uint64_t> total, seen;
  for (const format::BranchEntry& entry : log.entries) ++total[entry.block];
  std::array<std::vector<Experiment>, kPasses.size()> passes;
  std::vector<Experiment> inverted;
  for (size_t i = log.entries.size(); i-- > 0;) {
    const auto [block, way] = log.entries[i];
    if (cleans_up(model, block)) continue;
    const uint64_t from_last = seen[block]++;
    const bool first = from_last + 1 == total[block];
    const bool near = budget.near.contains(log.first_instance + i);
    if (from_last >= budget.per_branch && !first && !near) {
      plan.all = false;
      continue;
    }
    // A condition that is wrong altogether is right when each execution is inverted.
    if (first && has_two_sides(model, block) && way < 2) {
      inverted.push_back(
          {.instance = log.first_instance + i, .way = 1 - way, .scope = format::SwitchScope::kEachInverted});
    }
    size_t pass = 0;
    while (!first && !near && from_last >= kPasses[pass]) ++pass;
    for (const uint32_t other : alternatives.to(block, way)) {
      passes[pass].push_back({.instance = log.first_instance + i, .way = other});
    }
  }
  std::vector<Experiment> constant = constant_branches(model, alternatives);
  const auto distance = [&](const Experiment& each) {
    if (const auto own = budget.near.find(each.instance); own != budget.near.end()) return own->second;
    const auto known = budget.distance.find(log.entries[each.instance - log.first_instance].block);
    return known == budget.distance.end() ? ~uint32_t{0} : known->second + kNotNear;
  };
  const auto append = [&](std::vector<Experiment>& pass) {
    std::stable_sort(pass.begin(), pass.end(),
                     [&](const Experiment& one, const Experiment& other) { return distance(one) < distance(other); });
    plan.experiments.insert(plan.experiments.end(), pass.begin(), pass.end());
    plan.pass_ends.push_back(plan.experiments.size());
  };
  append(passes.front());
  append(inverted);
  plan.constant_begin = plan.experiments.size();
  append(constant);
  plan.constant_end = plan.experiments.size();
  for (auto pass = passes.begin() + 1; pass != passes.end(); ++pass) append(*pass);
  return plan;
}

class Search {
 public:
  Search(const Launch& launch, const BranchLog& log, const Oracle& oracle, const SwitchingBudget& budget)
      : log_(log),
        window_(budget.window),
        experimenter_(launch, budget.limits, oracle),
        deadline_(Clock::now() + budget.time) {}

  /// Makes the experiments (ascending) in one spine.
  std::vector<CriticalBranch> make(const std::vector<Experiment>& experiments, Clock::time_point until) {
    std::vector<CriticalBranch> found;
    std::vector<Experiment> placed;
    for (const Experiment& each : experiments) placed.push_back(log_.placed(each));
    for (const HelpfulExperiment& helpful : experimenter_.make(placed, until)) {
      const Experiment& planned = helpful.planned;
      const format::BranchEntry entry = log_.entries[planned.instance - log_.first_instance];
      found.push_back({.instance = planned.instance,
                       .block = entry.block,
                       .way = entry.way,
                       .other_way = planned.way,
                       .repair = helpful.repair,
                       .scope = planned.scope,
                       .changed_bytes = helpful.changed_bytes,
                       .right_bytes = helpful.right_bytes,
                       .then_block = planned.then_block,
                       .then_way = planned.then_way,
                       .then_number = planned.then_number,
                       .executions = helpful.executions,
                       .executions_in_round = helpful.executions_in_round});
    }
    return found;
  }

  /// In what is made next, which switches the branch instance.
  void count(CountedStatement counted, uint64_t instance) {
    // The altered thread's rounds are told only.
    if (log_.place_of(instance).thread != counted.thread) counted.round_block = format::kNoBlock;
    const uint64_t end = log_.first_instance + log_.entries.size();
    for (uint64_t each = instance + 1; each < end; ++each) counted.round += begins_round(log_, each, counted) ? 1 : 0;
    experimenter_.count(counted);
  }

  /// The same in as many spines as it takes; how many were made is added to `made`.
  std::vector<CriticalBranch> make_all(std::vector<Experiment> experiments, Clock::time_point until, size_t& made) {
    std::stable_sort(experiments.begin(), experiments.end(),
                     [](const auto& one, const auto& other) { return one.instance < other.instance; });
    std::vector<CriticalBranch> found;
    for (size_t at = 0; at < experiments.size() && Clock::now() < until; at += window_) {
      const auto first = experiments.begin() + static_cast<long>(at);
      const auto last = first + static_cast<long>(std::min(window_, experiments.size() - at));
      made += static_cast<size_t>(last - first);
      const std::vector<CriticalBranch> of_window = make({first, last}, until);
      found.insert(found.end(), of_window.begin(), of_window.end());
    }
    return found;
  }

  bool out_of_time() const { return Clock::now() >= deadline_; }
  uint64_t finished() const { return experimenter_.finished(); }

 private:
  const BranchLog& log_;
  size_t window_;
  Experimenter experimenter_;
  Clock::time_point deadline_;
};

/// Which execution of its branch each one is: the log is gone over once, since it may be long.
void count_occurrences(const BranchLog& log, std::vector<CriticalBranch>& branches) {
  if (log.first_instance != 1) return;
  std::vector<CriticalBranch*> in_order;
  std::unordered_map<uint32_t, uint64_t> executions;
  for (CriticalBranch& each : branches) {
    in_order.push_back(&each);
    executions.emplace(each.block, 0);
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const auto* one, const auto* other) { return one->instance < other->instance; });
  uint64_t next = 1;
  for (CriticalBranch* each : in_order) {
    for (; next <= each->instance; ++next) {
      const auto counted = executions.find(log.entries[next - 1].block);
      if (counted != executions.end()) ++counted->second;
    }
    each->occurrence = executions.at(each->block);
  }
}

bool repairs(const CriticalBranch& branch) {
  return branch.repair == Repair::kRepairs;
}

/// Of what is found before anything is switched again.
bool is_made_constant(const CriticalBranch& branch) {
  return branch.scope == format::SwitchScope::kSameWay;
}

/// Pairs of single switches: those that helped, then the nearest to the failure, each with each that comes later. How
/// often the second branch is executed in between is taken from the unaltered run. Both are of one thread.
std::vector<Experiment> pairs_of(const BranchLog& log, const std::vector<Experiment>& planned,
                                 const std::vector<CriticalBranch>& helpful) {
  std::vector<Experiment> partners;
  std::unordered_set<uint64_t> taken;
  const auto take = [&](uint64_t instance, uint32_t way) {
    if (partners.size() < kMostPartners && taken.insert(instance).second) {
      partners.push_back({.instance = instance, .way = way});
    }
  };
  for (const CriticalBranch& each : helpful) {
    if (each.scope == format::SwitchScope::kInstance) take(each.instance, each.other_way);
  }
  for (const Experiment& each : planned) {
    if (each.scope == format::SwitchScope::kInstance) take(each.instance, each.way);
  }
  std::sort(partners.begin(), partners.end(),
            [](const auto& one, const auto& other) { return one.instance < other.instance; });
  std::vector<Experiment> pairs;
  for (auto first = partners.begin(); first != partners.end(); ++first) {
    std::unordered_map<uint32_t, uint64_t> executions;
    uint64_t counted = first->instance;
    const uint32_t thread = log.place_of(first->instance).thread;
    const auto is_of_thread = [&](uint64_t instance) { return log.place_of(instance).thread == thread; };
    for (auto second = first + 1; second != partners.end(); ++second) {
      if (!is_of_thread(second->instance)) continue;
      while (counted < second->instance) {
        if (is_of_thread(++counted)) ++executions[log.entries[counted - log.first_instance].block];
      }
      const uint32_t block = log.entries[second->instance - log.first_instance].block;
      pairs.push_back({.instance = first->instance,
                       .way = first->way,
                       .then_block = block,
                       .then_way = second->way,
                       .then_number = executions[block]});
    }
  }
  return pairs;
}

/// What repairs before what only helps; the nearest and the first few instances of each branch: the others repeat what
/// these say.
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
  std::unordered_map<uint32_t, std::vector<size_t>> of_branch;  // positions
  for (size_t i = 0; i < found.size(); ++i) {
    std::vector<size_t>& its = of_branch[found[i].block];
    if (its.empty() || found[i].repair == found[its.front()].repair) its.push_back(i);
  }
  std::vector<CriticalBranch> kept;
  for (size_t i = 0; i < found.size(); ++i) {
    const std::vector<size_t>& its = of_branch.at(found[i].block);
    const auto at = std::find(its.begin(), its.end(), i);
    if (at != its.end() && (at == its.begin() || its.end() - at <= kFirstOnes)) kept.push_back(found[i]);
  }
  if (kept.size() > kMostVerified) kept.resize(kMostVerified);
  return kept;
}

}  // namespace

SwitchingResult switch_predicates(const Launch& launch, const program::ProgramModel& model, const BranchLog& log,
                                  const Oracle& oracle, const SwitchingBudget& budget,
                                  const SwitchingProgress& progress) {
  Search search(launch, log, oracle, budget);
  SwitchingResult result;
  const SwitchingPlan plan = plan_switching(model, log, budget);
  const std::vector<Experiment>& planned = plan.experiments;
  const size_t most = std::min<size_t>(planned.size(), budget.experiments);

  std::vector<CriticalBranch> found;
  size_t done = 0, passed_over = 0;
  std::unordered_set<uint32_t> repairing;
  auto pass_end = plan.pass_ends.begin();
  const Clock::time_point deadline = Clock::now() + budget.time;
  const Clock::time_point verification = Clock::now() + budget.time * 2 / 3;
  const Clock::time_point singles_end = Clock::now() + budget.time / 2;
  while (done < most && Clock::now() < singles_end && progress(done, most)) {
    // Once many branches are known to repair the run, more instances of each say little.
    while (pass_end != plan.pass_ends.end() && done >= *pass_end) ++pass_end;
    if (pass_end != plan.pass_ends.begin() && repairing.size() >= kEnoughRepairing) {
      result.enough = true;
      break;
    }
    if (done == plan.constant_begin && done != plan.constant_end && !repairing.empty()) {
      passed_over = plan.constant_end - plan.constant_begin;
      done = plan.constant_end;
      continue;
    }
    const auto first = planned.begin() + static_cast<long>(done);
    const auto last = first + static_cast<long>(std::min({budget.window, most - done, *pass_end - done}));
    const std::vector<CriticalBranch> of_window = search.make_all({first, last}, singles_end, done);
    for (const CriticalBranch& each : of_window) {
      if (repairs(each) && !is_made_constant(each)) repairing.insert(each.block);
    }
    found.insert(found.end(), of_window.begin(), of_window.end());
  }
  // A branch that never goes a way says less than one that goes another way once.
  if (!repairing.empty()) std::erase_if(found, is_made_constant);
  // A branch that is wrong is often wrong each time: where one switch helped only so far, its later executions follow.
  std::vector<Experiment> repeated;
  for (const CriticalBranch& each : found) {
    if (each.repair != Repair::kFurther || is_made_constant(each)) continue;
    repeated.push_back({.instance = each.instance, .way = each.other_way, .scope = format::SwitchScope::kSameWay});
  }
  const bool repaired = std::any_of(found.begin(), found.end(), repairs);
  if (repaired) repeated.clear();  // where a single one repairs the run, they say nothing
  size_t done_again = 0;
  const std::vector<CriticalBranch> of_repeated = search.make_all(repeated, verification, done_again);
  found.insert(found.end(), of_repeated.begin(), of_repeated.end());
  // Two faults, or one that is met at two branches, take two switches.
  if (budget.pairs && std::none_of(found.begin(), found.end(), repairs)) {
    size_t pairs_made = 0;
    const std::vector<CriticalBranch> of_pairs =
        search.make_all(pairs_of(log, planned, found), verification, pairs_made);
    std::copy_if(of_pairs.begin(), of_pairs.end(), std::back_inserter(found), repairs);
    result.pairs = pairs_made;
  }
  result.complete = plan.all && log.first_instance == 1 && done_again == repeated.size() &&
                    search.finished() == planned.size() - passed_over + done_again + result.pairs;

  result.critical = worth_verifying(std::move(found));
  count_occurrences(log, result.critical);
  for (CriticalBranch& each : result.critical) {
    if (search.out_of_time() && &each != &result.critical.front()) break;
    search.count(budget.counted, each.instance);
    const auto again = search.make({{.instance = each.instance,
                                     .way = each.other_way,
                                     .scope = each.scope,
                                     .then_block = each.then_block,
                                     .then_way = each.then_way,
                                     .then_number = each.then_number}},
                                   deadline);
    each.verified = again.size() == 1 && again.front().repair == each.repair;
    if (each.verified) {
      each.executions = again.front().executions;
      each.executions_in_round = again.front().executions_in_round;
    }
  }
  result.experiments = search.finished();
  return result;
}

}  // namespace culprit
