#include "locate/passed_failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "locate/deciding_branch.h"
#include "locate/executions_in_order.h"

namespace culprit {
namespace {

uint32_t failing_statement(const program::ProgramModel& model, const report::Failure& failure,
                           const ObservedRun& failing) {
  const std::vector<Frame>& frames = failing.end.frames;
  if (frames.empty() || failing.end.timed_out || frames.front().statement >= model.statements().size()) {
    return format::kNoStatement;
  }
  const bool gave_up = failure.kind == "assertion" || failure.kind == "abort" || failure.kind == "uncaught-exception";
  if (!gave_up) return frames.front().statement;
  const std::optional<uint32_t> frame = decided_in(model, frames, 0);
  if (!frame) return format::kNoStatement;
  const auto block = latest_decision(model, failing.log, model.block_of_statement(frames[*frame].statement));
  return block ? model.statements_of(*block).back() : format::kNoStatement;
}

/// The outermost loop that the activations were in.
uint32_t outermost_loop(const program::ProgramModel& model, const std::vector<Frame>& frames) {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (frame->statement >= model.statements().size()) continue;
    uint32_t loop = model.block(model.block_of_statement(frame->statement)).innermost_loop;
    if (loop == program::kNone) continue;
    while (model.loop(loop).parent != program::kNone) loop = model.loop(loop).parent;
    return loop;
  }
  return program::kNone;
}

}  // namespace

CountedStatement statement_to_pass(const program::ProgramModel& model, const report::Failure& failure,
                                   const ObservedRun& failing) {
  CountedStatement counted{.statement = failing_statement(model, failure, failing), .thread = failing.end.stop.thread};
  const uint32_t loop = outermost_loop(model, failing.end.frames);
  if (loop == program::kNone) return counted;
  counted.round_block = model.headers_of(loop).front().block;
  if (model.edges_of(counted.round_block).size() < 2) return {};
  return counted;
}

StatementToPass::StatementToPass(const RunDependences& run, const BranchLog& log, const CountedStatement& counted)
    : run_(run), log_(log), counted_(counted), block_(run.graph().model().block_of_statement(counted.statement)) {
  for (size_t each = log.entries.size(); each-- > 0 && round_began_ == 0;) {
    if (begins_round(log, log.first_instance + each, counted)) round_began_ = execution_of(log.first_instance + each);
  }
  for_each_execution(run.graph(), [&](depend::Execution each, uint32_t block, uint32_t /*frame*/) {
    if (block == block_) executions_.push_back(each);
  });
}

depend::Execution StatementToPass::execution_of(uint64_t instance) const {
  const depend::Node node = run_.branch(instance);
  return node == depend::kNoNode ? 0 : node.execution();
}

std::optional<bool> StatementToPass::is_passed(const CriticalBranch& branch) const {
  // The decision itself the other way is not a check that went well.
  if (!branch.verified || branch.block == block_) return std::nullopt;
  if (branch.executions == 0) return false;
  const bool has_rounds = log_.place_of(branch.instance).thread == counted_.thread;
  const depend::Execution from = std::max(execution_of(branch.instance), has_rounds ? round_began_ : 0);
  const auto first = std::upper_bound(executions_.begin(), executions_.end(), from);
  if (executions_.empty()) return std::nullopt;
  // The last one fails, so it comes behind the branch even where its block began before: by a call from there.
  const uint64_t executions = std::max<uint64_t>(static_cast<uint64_t>(executions_.end() - first), 1);
  if (branch.executions_in_round < executions) return std::nullopt;
  return true;
}

bool begins_round(const BranchLog& log, uint64_t instance, const CountedStatement& counted) {
  return log.entries[instance - log.first_instance].block == counted.round_block &&
         log.place_of(instance).thread == counted.thread;
}

void put_passing_first(std::vector<CriticalBranch>& critical) {
  const auto order = [](const CriticalBranch& branch) {
    if (branch.repair != Repair::kRepairs) return 3;
    return !branch.passes_failure ? 1 : *branch.passes_failure ? 0 : 2;
  };
  std::stable_sort(critical.begin(), critical.end(),
                   [&](const auto& one, const auto& other) { return order(one) < order(other); });
}

std::string passed_text(const report::Failure& failure, std::optional<bool> passed) {
  if (!passed || failure.place.line == 0) return {};
  return *passed ? fmt::format(" Line {} would be executed and go well.", failure.place.line)
                 : fmt::format(" But it would not come to line {}.", failure.place.line);
}

}  // namespace culprit
