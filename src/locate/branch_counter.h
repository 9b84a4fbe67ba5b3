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
      : graph_(graph), latest_(graph.frames(), depend::kNoExecution), waits_(graph.frames()) {
    const program::ProgramModel& model = graph.model();
    for (uint32_t block = 0; block < model.blocks().size(); ++block) {
      const program::Indices operations = model.operations_of(block);
      ends_in_branch_.push_back(!operations.empty() &&
                                model.operation(operations.back()).kind == format::OperationKind::kBranch);
    }
  }

  /// In order; returns the execution whose branch led here, or kNoExecution.
  depend::Execution begin(depend::Execution execution) {
    const auto [block, frame] = graph_.execution(execution);
    const depend::Execution before = latest_[frame];
    const bool branched = waits_[frame];
    latest_[frame] = execution;
    waits_[frame] = ends_in_branch_[block];
    if (!branched) return depend::kNoExecution;
    ++branches_;
    return before;
  }
  uint64_t branches() const { return branches_; }

  /// The latest execution of an activation's blocks; kNoExecution before its first.
  depend::Execution latest_of(uint32_t frame) const { return latest_[frame]; }

 private:
  const depend::DependenceGraph& graph_;
  std::vector<depend::Execution> latest_;  // by frame
  std::vector<bool> waits_;                // by frame: its latest block ends in a branch
  std::vector<bool> ends_in_branch_;       // by block
  uint64_t branches_ = 0;
};

}  // namespace culprit
