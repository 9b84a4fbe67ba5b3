// The idea (DS §2.1): put other values in the place of one that the failing run made, and see whether its output becomes
// right. There the values come from all runs of a test suite, and each statement instance is tried; here there is one
// failing run, so each statement of the slice is tried where it lies nearest to the failure, with values that it made at
// other times (the run's own value profile), values next to it, and zero and one. One run serves many experiments, as
// in suppression.cc.
//
// If a value repairs the run, so do its copies, and often what it was computed from: the "dependence cause" of §2.4.
// The paper tells them apart by further failing runs. Here the earliest one is told first, for all others follow it.

#include "locate/value_replacement.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "depend/value_chain.h"
#include "locate/run_values.h"
#include "locate/statement_trials.h"

namespace culprit {
namespace {

using format::OperationKind;
using format::StatementKind;

constexpr size_t kMostOfProfile = 6;
constexpr size_t kMostVerified = 6;

/// The one operation of a statement that stores or returns a number; nothing when it has none or several.
std::optional<uint32_t> valued_operation(const program::ProgramModel& model, uint32_t statement) {
  std::optional<uint32_t> found;
  for (const uint32_t operation : model.operations_of(model.block_of_statement(statement))) {
    const format::OperationRecord& record = model.operation(operation);
    if (record.statement != statement) continue;
    const bool gives = record.kind == OperationKind::kStore || record.kind == OperationKind::kReturn;
    if (!gives) continue;
    if (found || (record.flags & format::kOperationValued) == 0) return std::nullopt;
    // Another pointer is another object: of an interpreter, say, another program.
    if ((record.flags & format::kOperationGivesAddress) != 0) return std::nullopt;
    found = operation;
  }
  return found;
}

/// The first few values that an operation gave.
class Profile {
 public:
  void add(uint64_t value) {
    if (values_.size() < kMostOfProfile + 1 && std::find(values_.begin(), values_.end(), value) == values_.end()) {
      values_.push_back(value);
    }
  }
  const std::vector<uint64_t>& values() const { return values_; }

 private:
  std::vector<uint64_t> values_;
};

/// What programmers are wrong by: the numbers next to a value, zero and one.
std::vector<uint64_t> usual_values(const format::OperationRecord& record, uint64_t value) {
  if ((record.flags & format::kOperationGivesFloating) == 0) return {value + 1, value - 1, 0, 1};
  if (record.bytes == sizeof(float)) {
    const auto number = std::bit_cast<float>(static_cast<uint32_t>(value));
    const auto bits = [](float each) { return static_cast<uint64_t>(int64_t{std::bit_cast<int32_t>(each)}); };
    return {bits(number + 1), bits(number - 1), bits(0), bits(1)};
  }
  const auto number = std::bit_cast<double>(value);
  const auto bits = [](double each) { return std::bit_cast<uint64_t>(each); };
  return {bits(number + 1), bits(number - 1), bits(0), bits(1)};
}

struct Candidate {
  uint32_t operation = 0;
  depend::Execution execution = 0;
  std::optional<uint64_t> value{};
  std::optional<StatementTrial> trial{};  // but for its value
};

class Search {
 public:
  Search(const Launch& launch, const FailureSlice& slice, uint64_t branches, const Oracle& oracle,
         const ReplacementBudget& budget, const std::function<bool(uint64_t)>& go_on)
      : run_(*slice.run),
        model_(run_.graph().model()),
        branches_(branches),
        budget_(budget),
        trials_(launch, budget.limits, oracle, StatementTrials::Clock::now() + budget.time, go_on) {
    for (const DependentStatement& each : slice.statements) {
      if (candidates_.size() == budget.statements) break;
      if (!can_be_replaced(model_, each.statement)) continue;
      candidates_.push_back({.operation = *valued_operation(model_, each.statement), .execution = each.nearest});
    }
  }

  ReplacementResult run() {
    find_values();
    find_executions();
    std::vector<StatementTrial> trials;
    for (const Candidate& each : candidates_) {
      if (!each.value || !each.trial) continue;
      for (const uint64_t instead : alternatives(each)) {
        trials.push_back(*each.trial);
        trials.back().value = instead;
      }
    }
    std::vector<CriticalValue> critical;
    for (const HelpfulTrial& helpful : trials_.make(std::move(trials), budget_.experiments, false)) {
      if (helpful.repair == Repair::kRepairs) add(helpful.trial, critical);
    }
    std::sort(critical.begin(), critical.end(), [](const auto& one, const auto& other) { return one.order < other.order; });
    if (critical.size() > kMostVerified) critical.resize(kMostVerified);
    for (CriticalValue& each : critical) {
      verify(each);
      each.origin = made_at(run_.graph(), depend::value_chain(run_.graph(), each.node)).origin;
    }
    return {.critical = std::move(critical), .experiments = trials_.finished(), .complete = trials_.is_complete()};
  }

 private:
  void find_values() {
    std::unordered_map<uint32_t, Candidate*> of_operation;
    for (Candidate& each : candidates_) of_operation.emplace(each.operation, &each);
    visit_values(run_.trace(), [&](depend::Node node, uint64_t value) {
      const auto at = of_operation.find(node.operation());
      if (at == of_operation.end()) return;
      profiles_[node.operation()].add(value);
      if (at->second->execution == node.execution()) at->second->value = value;
    });
  }

  void find_executions() {
    std::unordered_map<uint32_t, Candidate*> of_statement;
    for (Candidate& each : candidates_) of_statement.emplace(model_.operation(each.operation).statement, &each);
    uint64_t order = 0;
    visit_executed_statements(run_.graph(), [&](const StatementExecution& each) {
      ++order;
      const auto at = of_statement.find(each.statement);
      if (at == of_statement.end() || at->second->execution != each.execution || each.instance > branches_) return;
      at->second->trial = {
          .execution = each, .order = order, .action = format::StatementAction::kReplaceWrite, .value = 0};
    });
  }

  std::vector<uint64_t> alternatives(const Candidate& candidate) const {
    const uint64_t value = *candidate.value;
    std::vector<uint64_t> all = profiles_.at(candidate.operation).values();
    const format::OperationRecord& record = model_.operation(candidate.operation);
    for (const uint64_t other : usual_values(record, value)) all.push_back(other);
    std::vector<uint64_t> others;
    for (const uint64_t each : all) {
      if (each != value && std::find(others.begin(), others.end(), each) == others.end()) others.push_back(each);
    }
    return others;
  }

  void add(const StatementTrial& trial, std::vector<CriticalValue>& critical) const {
    const uint32_t statement = trial.execution.statement;
    const auto known = std::find_if(critical.begin(), critical.end(), [&](const CriticalValue& each) {
      return each.execution.statement == statement;
    });
    if (known != critical.end()) {
      ++known->repairing;
      return;
    }
    const auto candidate = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& each) {
      return model_.operation(each.operation).statement == statement;
    });
    critical.push_back({.execution = trial.execution,
                        .order = trial.order,
                        .node = depend::Node::of(candidate->execution, candidate->operation),
                        .value = *candidate->value,
                        .instead = trial.value,
                        .repairing = 1,
                        .origin = {}});
  }

  void verify(CriticalValue& critical) {
    critical.verified = trials_.is_confirmed({.trial = {.execution = critical.execution,
                                                        .action = format::StatementAction::kReplaceWrite,
                                                        .value = critical.instead},
                                              .repair = Repair::kRepairs});
  }

  const RunDependences& run_;
  const program::ProgramModel& model_;
  uint64_t branches_;
  const ReplacementBudget& budget_;
  StatementTrials trials_;
  std::vector<Candidate> candidates_;  // nearest to the failure first
  std::unordered_map<uint32_t, Profile> profiles_;  // by operation
};

}  // namespace

bool can_be_replaced(const program::ProgramModel& model, uint32_t statement) {
  const format::StatementRecord& record = model.statement(statement);
  if (record.line == 0) return false;  // the compiler's own
  if (record.kind != StatementKind::kAssignment && record.kind != StatementKind::kReturn) return false;
  return valued_operation(model, statement).has_value();
}

ReplacementResult replace_values(const Launch& launch, const FailureSlice& slice, uint64_t branches,
                                 const Oracle& oracle, const ReplacementBudget& budget,
                                 const std::function<bool(uint64_t done)>& go_on) {
  return Search(launch, slice, branches, oracle, budget, go_on).run();
}

}  // namespace culprit
