// Branch instances of a trace, numbered as a session numbers them (format/session_abi.h).
#pragma once

#include <cstdint>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

/// Counts branch instances along block executions, of one thread or of several. A block's branch is executed when the
/// next block of its activation begins: the block may wait for calls before.
class BranchCounter {
 public:
  explicit BranchCounter(const depend::DependenceGraph& graph)
      : latest_(graph.frames(), Latest{depend::kNoExecution, format::kNone}), branches_(graph.branches_before()) {
    const program::ProgramModel& model = graph.model();
    for (uint32_t block = 0; block < model.blocks().size(); ++block) {
      const program::Indices operations = model.operations_of(block);
      ends_in_branch_.push_back(!operations.empty() &&
                                model.operation(operations.back()).kind == format::OperationKind::kBranch);
    }
  }

  /// In order; returns the execution whose branch led here, or kNoExecution.
  depend::Execution begin(depend::Execution execution, uint32_t block, uint32_t frame) {
    const Latest before = latest_[frame];
    latest_[frame] = {execution, block};
    if (before.block == format::kNone || !ends_in_branch_[before.block]) return depend::kNoExecution;
    ++branches_;
    return before.execution;
  }
  uint64_t branches() const { return branches_; }

  /// The latest execution of an activation's blocks; kNoExecution before its first.
  depend::Execution latest_of(uint32_t frame) const { return latest_[frame].execution; }
  uint32_t latest_block_of(uint32_t frame) const { return latest_[frame].block; }

 private:
  struct Latest {
    depend::Execution execution;
    uint32_t block;
  };
  std::vector<Latest> latest_;        // by frame
  std::vector<bool> ends_in_branch_;  // by block
  uint64_t branches_;
};

}  // namespace culprit
