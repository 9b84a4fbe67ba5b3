#include "locate/executed_statements.h"

#include <algorithm>

#include "locate/branch_counter.h"
#include "locate/executions_in_order.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;

/// Follows the activations of the main thread. The trace tells when blocks begin; the statements of a block are told as
/// far as something else shows that they were executed: a callee begins, the next block begins, or the caller goes on.
class Walk {
 public:
  Walk(const DependenceGraph& graph, const std::function<void(const StatementExecution&)>& visit)
      : graph_(graph),
        model_(graph.model()),
        visit_(visit),
        threads_(threads_of_frames(graph)),
        counter_(graph),
        next_(graph.frames(), 0) {
    counted_.resize(model_.statements().size());
  }

  void run() {
    for_each_execution(graph_, [this](Execution each, uint32_t block, uint32_t frame) {
      if (threads_[frame] != 0) return;
      if (counter_.latest_of(frame) == depend::kNoExecution) {
        enter(frame);
      } else {
        return_to(frame);
        finish_block(frame);
      }
      counter_.begin(each, block, frame);
      next_[frame] = first_statement(block);
    });
    while (!active_.empty()) leave_innermost();
  }

 private:
  struct Counted {
    uint64_t instance = ~uint64_t{0};
    uint64_t since_instance = 0;
    uint64_t in_all = 0;
  };

  uint32_t first_statement(uint32_t block) const {
    const program::Indices statements = model_.statements_of(block);
    return statements.empty() ? 0 : statements.front();
  }

  void enter(uint32_t frame) {
    const Node call = graph_.frame(frame).call;
    if (call != depend::kNoNode) {
      const uint32_t caller = graph_.execution(call.execution()).frame;
      if (threads_[caller] == 0 && counter_.latest_of(caller) == call.execution()) {
        return_to(caller);
        const bool direct = !graph_.frame(frame).by_native;
        tell_to(caller, model_.operation(call.operation()).statement, direct ? frame : kNoActivation);
      }
    }
    active_.push_back(frame);
  }

  /// Activations above `frame` have ended.
  void return_to(uint32_t frame) {
    if (std::find(active_.rbegin(), active_.rend(), frame) == active_.rend()) return;  // a context that was left before
    while (active_.back() != frame) leave_innermost();
  }

  void leave_innermost() {
    finish_block(active_.back());
    active_.pop_back();
  }

  void finish_block(uint32_t frame) {
    const program::Indices statements = model_.statements_of(counter_.latest_block_of(frame));
    if (!statements.empty()) tell_to(frame, statements.back(), kNoActivation);
  }

  /// Tells the statements of the activation's block that are still to come, up to `last`, which begins `callee`.
  void tell_to(uint32_t frame, uint32_t last, uint32_t callee) {
    const program::Indices statements = model_.statements_of(counter_.latest_block_of(frame));
    for (uint32_t& next = next_[frame]; next <= last && next <= statements.back(); ++next) {
      Counted& counted = counted_[next];
      if (counted.instance != counter_.branches()) counted = {counter_.branches(), 0, counted.in_all};
      visit_({.statement = next,
              .instance = counter_.branches(),
              .passes = counted.since_instance++,
              .occurrence = ++counted.in_all,
              .of_all = !graph_.begins_late(),
              .execution = counter_.latest_of(frame),
              .frame = frame,
              .callee = next == last ? callee : kNoActivation});
    }
  }

  const DependenceGraph& graph_;
  const program::ProgramModel& model_;
  const std::function<void(const StatementExecution&)>& visit_;
  std::vector<uint32_t> threads_;  // by frame
  BranchCounter counter_;
  std::vector<uint32_t> next_;    // by frame: the next statement of its block
  std::vector<uint32_t> active_;  // frames, innermost last
  std::vector<Counted> counted_;  // by statement
};

}  // namespace

void visit_executed_statements(const DependenceGraph& graph,
                               const std::function<void(const StatementExecution&)>& visit) {
  Walk(graph, visit).run();
}

}  // namespace culprit
