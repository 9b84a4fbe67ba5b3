// What the words of an activation on the point stack hold before each call that may lead to a point, so that none is
// written which is there already (format/points_abi.h, kPrecise): a forward analysis over the flow graph.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <vector>

#include "instrument/flow_of_function.h"
#include "instrument/index_points.h"
#include "program/loop_forest.h"

namespace culprit {

/// The callee, or what it enters, counts in the call word.
bool may_count_entries(const PointCallSite& call);

class HeldWords {
 public:
  /// `at_header`: loops whose iteration is written where it begins.
  HeldWords(const PointFunction& function, const FunctionFlow& flow, const program::LoopForest& forest,
            const std::vector<bool>& at_header);

  /// Of the words before the call and its call word, which have to be written.
  const std::vector<bool>& missing(const llvm::CallBase& call) const { return missing_.find(&call)->second; }

 private:
  /// 0: anything; otherwise a loop's iteration or a site.
  using Content = std::vector<uint64_t>;

  void enter(uint32_t block, Content& content) const;
  void pass(const PointCallSite& call, Content& content);
  Content wanted(const PointCallSite& call) const;

  const PointFunction& function_;
  const FunctionFlow& flow_;
  const program::LoopForest& forest_;
  const std::vector<bool>& at_header_;
  std::vector<std::vector<const PointCallSite*>> calls_;  ///< by block
  size_t most_ = 0;                                       ///< words
  llvm::DenseMap<const llvm::CallBase*, std::vector<bool>> missing_;
};

/// Outermost first.
std::vector<uint32_t> loops_around(const program::LoopForest& forest, uint32_t block);

}  // namespace culprit
