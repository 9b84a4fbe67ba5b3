// A thread-local word that is higher by a known offset while certain calls are made, and as it was wherever its
// function is entered and left. So nothing has to be kept in registers over calls, and functions pay where they make
// such calls only.
//
// Where the word changes is chosen by estimated frequencies. A loop keeps the offset that most of its calls want, so it
// changes where the loop is entered and left; so does the whole function where that is cheaper. Other calls change the
// word before and behind themselves, those of a block together.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <vector>

#include "instrument/flow_of_function.h"
#include "instrument/index_points.h"
#include "program/loop_forest.h"

namespace culprit {

/// How often blocks and calls run for each entry of their function, as estimated from its branches.
class CallFrequencies {
 public:
  explicit CallFrequencies(llvm::Function& function);
  double of(const llvm::BasicBlock& block) const { return of_block_.lookup(&block); }
  /// The edges from outside of the loop to its headers together.
  double entries(const FunctionFlow& flow, const program::LoopForest& forest, uint32_t loop) const;

 private:
  llvm::DenseMap<const llvm::BasicBlock*, double> of_block_;
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, double> of_edge_;
};

class CallOffsets {
 public:
  /// `word`: its place in ThreadPoints. Those readers are looked at that `want` is called for.
  CallOffsets(const PointFunction& function, const FunctionFlow& flow, const program::LoopForest& forest,
              const CallFrequencies& frequencies, size_t word);

  /// `reader`: a call, or what else reads the word.
  void want(llvm::Instruction& reader, uint64_t offset) { wanted_[&reader] = offset; }
  /// Makes changes (point_changes.h). Divides edges; blocks keep their numbers in the flow.
  void insert();

  /// After insert: the offset throughout the loop, but around single calls.
  uint64_t kept_in(uint32_t loop) const { return kept_[loop]; }
  /// The word where the function was entered; only of functions that are re-entered.
  llvm::Value* at_entry() const { return base_; }

 private:
  void choose();
  bool has_rigid_edges() const;
  uint64_t kept_at(const llvm::BasicBlock& block) const;
  void change_in_block(llvm::BasicBlock& block);
  void change_on_edges(llvm::BasicBlock& block);
  void set_where_control_arrives();
  void add(llvm::Instruction& place, uint64_t from, uint64_t to) const;
  void set(llvm::Instruction& place, uint64_t offset) const;

  const PointFunction& function_;
  const FunctionFlow& flow_;
  const program::LoopForest& forest_;
  const CallFrequencies& frequencies_;
  size_t word_;
  llvm::DenseMap<const llvm::Instruction*, uint64_t> wanted_;
  std::vector<uint64_t> kept_;                                 ///< by loop
  uint64_t kept_outside_ = 0;                                  ///< of loops
  llvm::DenseMap<const llvm::Instruction*, uint64_t> behind_;  ///< re-entered calls: the offset there
  llvm::Value* base_ = nullptr;
};

}  // namespace culprit
