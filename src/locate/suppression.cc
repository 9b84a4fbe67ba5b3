// The idea (ED §2.1.1.2): leave out a call to see whether the fault is in what it does, then statements of its callee
// to come nearer. There a programmer chose what to leave out; here the calls are tried that the failure depended on,
// the nearest first, then the others, the last executed first. One run, the spine, serves many experiments, as in
// predicate_switching.cc. A call that helps is followed into its callee: each call and write there is left out alone.
// As long as one helps the search goes on inside it, so what is told is the smallest part that does. Writes that the
// failure depended on are tried by themselves when no call helps.
//
// That a run succeeds without something does not make it wrong: leaving out all work helps, too. So it is told with the
// calls around it, and counts less than a branch.

#include "locate/suppression.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>

#include "locate/statement_trials.h"

namespace culprit {
namespace {

using format::StatementAction;
using format::StatementKind;

constexpr size_t kMostNarrowed = 4;    // calls that are followed into their callees
constexpr size_t kMostInCallee = 512;  // experiments to narrow down one call
constexpr size_t kLastOnes = 2;        // executions of each statement, and its first
constexpr size_t kMostVerified = 6;

struct Candidate {
  StatementExecution execution;
  uint64_t order = 0;  // among all statement executions
};

/// The first and the last few executions of each statement.
class Selection {
 public:
  void add(const Candidate& candidate) {
    Kept& kept = of_[candidate.execution.statement];
    if (!kept.first) {
      kept.first = candidate;
      return;
    }
    kept.last.push_back(candidate);
    if (kept.last.size() > kLastOnes) kept.last.pop_front();
  }

  std::vector<Candidate> all() const {
    std::vector<Candidate> result;
    for (const auto& [statement, kept] : of_) {
      result.push_back(*kept.first);
      result.insert(result.end(), kept.last.begin(), kept.last.end());
    }
    return result;
  }

 private:
  struct Kept {
    std::optional<Candidate> first;
    std::deque<Candidate> last;
  };
  std::unordered_map<uint32_t, Kept> of_;
};

class Search {
 public:
  Search(const Launch& launch, const FailureSlice& slice, uint64_t branches, const Oracle& oracle,
         const SuppressionBudget& budget, const std::function<bool(uint64_t)>& go_on)
      : graph_(slice.run->graph()),
        model_(graph_.model()),
        branches_(branches),
        trials_(launch, budget.limits, oracle, StatementTrials::Clock::now() + budget.time, go_on),
        budget_(budget) {
    for (const DependentStatement& each : slice.statements) distance_.emplace(each.statement, each.distance);
  }

  SuppressionResult run() {
    std::vector<CriticalStatement> found = try_all(calls(), budget_.experiments, true);
    // Of a long run, already to go over its executions takes long.
    if (found.empty() && trials_.is_time_left()) found = try_all(writes_of_slice(), budget_.experiments, true);
    sort(found);
    found = narrowed(found);
    sort(found);
    if (found.size() > kMostVerified) found.resize(kMostVerified);
    for (CriticalStatement& each : found) verify(each);
    return {.critical = std::move(found),
            .experiments = trials_.finished(),
            .complete = trials_.is_complete()};
  }

 private:
  bool is_call(uint32_t statement) const { return model_.statement(statement).kind == StatementKind::kCall; }

  /// The executions up to the failure that `wanted` asks for, the first and last ones of each statement.
  template <typename Wanted>
  std::vector<Candidate> select(const Wanted& wanted) const {
    Selection selection;
    uint64_t order = 0;
    visit_executed_statements(graph_, [&](const StatementExecution& each) {
      ++order;
      if (each.instance > branches_ || !can_be_suppressed(model_, each.statement) || !wanted(each)) return;
      selection.add({.execution = each, .order = order});
    });
    std::vector<Candidate> all = selection.all();
    std::sort(all.begin(), all.end(), [this](const Candidate& one, const Candidate& other) {
      const uint32_t near = distance_of(one), far = distance_of(other);
      return near != far ? near < far : one.order > other.order;
    });
    return all;
  }

  std::vector<Candidate> calls() const {
    return select([this](const StatementExecution& each) { return is_call(each.statement); });
  }

  std::vector<Candidate> writes_of_slice() const {
    return select([this](const StatementExecution& each) {
      return !is_call(each.statement) && distance_.contains(each.statement);
    });
  }

  std::vector<Candidate> inside(uint32_t frame) const {
    return select([frame](const StatementExecution& each) { return each.frame == frame; });
  }

  uint32_t distance_of(const Candidate& candidate) const {
    const auto known = distance_.find(candidate.execution.statement);
    return known == distance_.end() ? ~uint32_t{0} : known->second;
  }

  /// Leaves each out, until one helps when `until_found`.
  std::vector<CriticalStatement> try_all(const std::vector<Candidate>& candidates, size_t most, bool until_found) {
    std::vector<StatementTrial> trials;
    for (const Candidate& each : candidates) {
      trials.push_back({.execution = each.execution, .order = each.order, .action = StatementAction::kSuppress});
    }
    std::vector<CriticalStatement> found;
    for (const HelpfulTrial& helpful : trials_.make(std::move(trials), most, until_found)) {
      found.push_back({.execution = helpful.trial.execution, .repair = helpful.repair, .within = {}});
    }
    return found;
  }

  /// Puts in the place of calls that help what helps in their callees.
  std::vector<CriticalStatement> narrowed(const std::vector<CriticalStatement>& found) {
    std::deque<CriticalStatement> open(found.begin(), found.end());
    std::vector<CriticalStatement> result;
    std::set<uint32_t> looked_into;
    while (!open.empty()) {
      const CriticalStatement outer = open.front();
      open.pop_front();
      std::vector<CriticalStatement> inner;
      const uint32_t callee = outer.execution.callee;
      if (callee != kNoActivation && trials_.is_time_left() && looked_into.size() < kMostNarrowed && looked_into.insert(callee).second) {
        inner = try_all(inside(callee), kMostInCallee, false);
        std::erase_if(inner, [&](const CriticalStatement& each) { return each.repair < outer.repair; });
      }
      if (inner.empty() && !is_among(outer, result)) result.push_back(outer);
      sort(inner);
      for (auto each = inner.rbegin(); each != inner.rend(); ++each) {
        each->within = outer.within;
        each->within.push_back(outer.execution.statement);
        open.push_front(*each);
      }
    }
    // A call inside another one that was narrowed down to it as well.
    std::erase_if(result, [&](const CriticalStatement& call) {
      return std::any_of(result.begin(), result.end(), [&](const CriticalStatement& each) {
        return std::find(each.within.begin(), each.within.end(), call.execution.statement) != each.within.end();
      });
    });
    return result;
  }

  static bool is_among(const CriticalStatement& one, const std::vector<CriticalStatement>& others) {
    return std::any_of(others.begin(), others.end(), [&](const CriticalStatement& each) {
      return each.execution.statement == one.execution.statement &&
             each.execution.occurrence == one.execution.occurrence;
    });
  }

  void sort(std::vector<CriticalStatement>& found) const {
    std::stable_sort(found.begin(), found.end(), [this](const auto& one, const auto& other) {
      if (one.repair != other.repair) return one.repair > other.repair;
      const uint32_t near = distance_of({one.execution}), far = distance_of({other.execution});
      return near != far ? near < far : one.execution.instance > other.execution.instance;
    });
  }

  void verify(CriticalStatement& critical) {
    critical.verified = trials_.is_confirmed(
        {.trial = {.execution = critical.execution, .action = StatementAction::kSuppress}, .repair = critical.repair});
  }

  const depend::DependenceGraph& graph_;
  const program::ProgramModel& model_;
  uint64_t branches_;
  StatementTrials trials_;
  const SuppressionBudget& budget_;
  std::unordered_map<uint32_t, uint32_t> distance_;  // by statement: from the failure
};

}  // namespace

bool can_be_suppressed(const program::ProgramModel& model, uint32_t statement) {
  const format::StatementRecord& record = model.statement(statement);
  if (record.line == 0) return false;  // the compiler's own
  if (record.kind == StatementKind::kAssignment) return (record.flags & format::kStatementStores) != 0;
  if (record.kind != StatementKind::kCall) return false;
  const format::CallRecord& call = model.call(record.detail);
  constexpr uint32_t kNever = format::kFunctionNoReturn | format::kFunctionReturnsTwice;
  if (call.callee != program::kNone && (model.function(call.callee).flags & kNever) != 0) return false;
  return call.kind != format::CallKind::kAssembly;
}

SuppressionResult suppress_statements(const Launch& launch, const FailureSlice& slice, uint64_t branches,
                                      const Oracle& oracle, const SuppressionBudget& budget,
                                      const std::function<bool(uint64_t done)>& go_on) {
  return Search(launch, slice, branches, oracle, budget, go_on).run();
}

}  // namespace culprit
