// Branch instances of a trace, numbered as a session numbers them (format/session_abi.h).
#pragma once

#include <cstdint>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

/// Counts the main thread's branch instances along its block executions. A block's branch is executed when the next
/// block of its activation begins: the block may wait for calls before.
class BranchCounter {
 public:
  explicit BranchCounter(const depend::DependenceGraph& graph)
      : graph_(graph), latest_(graph.frames(), depend::kNoExecution) {}

  /// In order; returns the execution whose branch led here, or kNoExecution.
  depend::Execution begin(depend::Execution execution) {
    depend::Execution& latest = latest_[graph_.execution(execution).frame];
    const depend::Execution before = latest;
    latest = execution;
    if (before == depend::kNoExecution || !ends_in_branch(graph_.execution(before).block)) return depend::kNoExecution;
    ++branches_;
    return before;
  }
  uint64_t branches() const { return branches_; }

  /// The latest execution of an activation's blocks; kNoExecution before its first.
  depend::Execution latest_of(uint32_t frame) const { return latest_[frame]; }

 private:
  bool ends_in_branch(uint32_t block) const {
    const program::Indices operations = graph_.model().operations_of(block);
    return !operations.empty() && graph_.model().operation(operations.back()).kind == format::OperationKind::kBranch;
  }

  const depend::DependenceGraph& graph_;
  std::vector<depend::Execution> latest_;  // by frame
  uint64_t branches_ = 0;
};

}  // namespace culprit
