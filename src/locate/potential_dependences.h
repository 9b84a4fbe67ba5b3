// What a read of a variable depended on because it was not written again (Gyimothy, Beszedes and Forgacs, ESEC/FSE
// 1999): the branches, between the last write and the read, whose other side would have written it. Of variables of the
// activation itself, and of reads soon after the write.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

class PotentialDependences {
 public:
  explicit PotentialDependences(const depend::DependenceGraph& graph) : graph_(graph) {}

  /// Calls `visit` with the nearest executions of such branches. `read`: any operation.
  void for_each(depend::Node read, const std::function<void(depend::Node branch)>& visit);

 private:
  /// The blocks that end in a branch of which a side, and not the other, leads to a write of the cells.
  const std::vector<uint32_t>& branches_before_writes(uint32_t function, uint32_t cell, uint32_t cells);

  const depend::DependenceGraph& graph_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> branches_;  ///< by first cell and how many
  uint64_t looked_at_ = 0;                                        ///< block executions
};

}  // namespace culprit
