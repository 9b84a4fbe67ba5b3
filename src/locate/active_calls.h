// What was executed before a node and what after it. Block executions are numbered by when they begin; one that makes
// calls goes on when these have returned.
#pragma once

#include <unordered_map>

#include "depend/dependence_graph.h"

namespace culprit {

class ActiveCalls {
 public:
  /// The calls of the main program that had not returned when `moment` was executed.
  ActiveCalls(const depend::DependenceGraph& graph, depend::Node moment) : moment_(moment.execution()) {
    for (depend::Node at = moment;;) {
      const depend::Node call = graph.frame(graph.execution(at.execution()).frame).call;
      if (call == depend::kNoNode || call.execution() >= at.execution()) return;
      waiting_.emplace(call.execution(), call.operation());
      at = call;
    }
  }

  depend::Execution moment() const { return moment_; }
  /// Whether a node was executed no later than the moment's block, but for what waited for a call.
  bool is_before(depend::Node node) const {
    if (node.execution() >= moment_) return node.execution() == moment_;
    const auto waits = waiting_.find(node.execution());
    if (waits == waiting_.end() || node.operation() < waits->second) return true;
    // A call's result is there when it has returned.
    return node.operation() == waits->second && node.is_transfer();
  }

 private:
  depend::Execution moment_;
  std::unordered_map<depend::Execution, uint32_t> waiting_;  // operation of the call, by its block's execution
};

}  // namespace culprit
