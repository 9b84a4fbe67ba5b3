#include "instrument/call_offsets.h"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>

#include <algorithm>
#include <optional>

#include "instrument/edges.h"
#include "instrument/point_changes.h"
#include "instrument/user_stack.h"
#include "program/execution_order.h"

namespace culprit {

using program::kNoLoop;

CallFrequencies::CallFrequencies(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::BranchProbabilityInfo probabilities(function, loops);
  const llvm::BlockFrequencyInfo frequencies(function, probabilities, loops);
  const auto entry = static_cast<double>(frequencies.getEntryFreq().getFrequency());
  for (const llvm::BasicBlock& block : function) {
    const double often = static_cast<double>(frequencies.getBlockFreq(&block).getFrequency()) / entry;
    of_block_[&block] = often;
    for (const llvm::BasicBlock* target : llvm::successors(&block)) {
      const llvm::BranchProbability share = probabilities.getEdgeProbability(&block, target);
      of_edge_[{&block, target}] = often * share.getNumerator() / share.getDenominator();
    }
  }
}

double CallFrequencies::entries(const FunctionFlow& flow, const program::LoopForest& forest, uint32_t loop) const {
  double sum = 0;
  for (const uint32_t header : forest.loops[loop].headers) {
    llvm::BasicBlock* block = flow.blocks[header];
    llvm::DenseSet<const llvm::BasicBlock*> seen;
    for (const llvm::BasicBlock* from : llvm::predecessors(block)) {
      if (!seen.insert(from).second || program::contains(forest, loop, flow.number.lookup(from))) continue;
      sum += of_edge_.lookup({from, block});
    }
  }
  return sum;
}

CallOffsets::CallOffsets(const PointFunction& function, const FunctionFlow& flow, const program::LoopForest& forest,
                         const CallFrequencies& frequencies, size_t word)
    : function_(function), flow_(flow), forest_(forest), frequencies_(frequencies), word_(word) {}

void CallOffsets::insert() {
  choose();
  llvm::BasicBlock& entry = function_.function->getEntryBlock();
  if (function_.reentered) {
    llvm::IRBuilder<> builder(&entry, entry.begin());
    base_ = read_point_word(builder, word_, builder.getInt64Ty());
  }
  // Blocks as they are now, since edges are divided.
  const std::vector<llvm::BasicBlock*> blocks = flow_.blocks;
  for (llvm::BasicBlock* block : blocks) change_in_block(*block);
  for (llvm::BasicBlock* block : blocks) change_on_edges(*block);
  if (base_) set_where_control_arrives();
  llvm::Instruction* behind_base = base_ ? llvm::cast<llvm::Instruction>(base_)->getNextNode() : &*entry.begin();
  add(*behind_base, 0, kept_at(entry));
}

/// Inner loops first: a loop wants what most of its calls, and of the loops directly in it, want.
void CallOffsets::choose() {
  const size_t loops = forest_.loops.size();
  kept_.assign(loops, 0);
  if (has_rigid_edges()) return;
  std::vector<std::map<uint64_t, double>> weights(loops + 1);  // the last is the function
  const auto index = [&](uint32_t loop) { return loop == kNoLoop ? loops : loop; };
  for (const auto& [reader, offset] : wanted_) {
    const llvm::BasicBlock* block = reader->getParent();
    weights[index(forest_.innermost[flow_.number.lookup(block)])][offset] += frequencies_.of(*block);
  }
  std::vector<std::optional<uint64_t>> choices(loops + 1);
  const auto choose_for = [&](size_t loop, double entries) {
    const auto most = std::max_element(weights[loop].begin(), weights[loop].end(),
                                       [](const auto& left, const auto& right) { return left.second < right.second; });
    if (most == weights[loop].end() || most->second <= entries) return;
    choices[loop] = most->first;
    if (loop != loops) weights[index(forest_.loops[loop].parent)][most->first] += entries;
  };
  for (size_t loop = loops; loop-- > 0;) {
    choose_for(loop, frequencies_.entries(flow_, forest_, static_cast<uint32_t>(loop)));
  }
  choose_for(loops, 1);
  kept_outside_ = choices[loops].value_or(0);
  for (uint32_t loop = 0; loop < loops; ++loop) {
    const uint32_t parent = forest_.loops[loop].parent;
    kept_[loop] = choices[loop].value_or(parent == kNoLoop ? kept_outside_ : kept_[parent]);
  }
}

/// Edges that can't hold code, but for those to landing pads, where the word is set anew.
bool CallOffsets::has_rigid_edges() const {
  return llvm::any_of(*function_.function, [](const llvm::BasicBlock& block) {
    return llvm::any_of(llvm::successors(&block), [&](const llvm::BasicBlock* target) {
      return !target->isEHPad() && !can_split_edge(block, *target);
    });
  });
}

uint64_t CallOffsets::kept_at(const llvm::BasicBlock& block) const {
  const auto number = flow_.number.find(&block);
  const uint32_t loop = number == flow_.number.end() ? kNoLoop : forest_.innermost[number->second];
  return loop == kNoLoop ? kept_outside_ : kept_[loop];
}

void CallOffsets::change_in_block(llvm::BasicBlock& block) {
  const uint64_t kept = kept_at(block);
  uint64_t now = kept;
  std::vector<std::pair<llvm::Instruction*, uint64_t>> changes;  // before the instruction, to the offset
  const llvm::CallInst* tail_call = block.getTerminatingMustTailCall();
  for (llvm::Instruction& instruction : block) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const auto wanted = wanted_.find(&instruction);
    if (wanted != wanted_.end() && wanted->second != now) {
      changes.emplace_back(&instruction, wanted->second);
      now = wanted->second;
    } else if (&instruction == tail_call && wanted == wanted_.end() && now != 0) {
      changes.emplace_back(&instruction, 0);
      now = 0;
    }
    if (call && reenters(*call)) behind_[&instruction] = now;
  }
  llvm::Instruction* last = block.getTerminator();
  const bool is_left = llvm::isa<llvm::ReturnInst>(last);
  const bool is_over = llvm::isa<llvm::UnreachableInst, llvm::ResumeInst>(last) || tail_call != nullptr;
  const uint64_t at_end = is_left ? 0 : kept;
  const bool changes_on_edges = llvm::isa<llvm::InvokeInst>(last) && wanted_.contains(last);
  if (!is_over && !changes_on_edges && now != at_end) changes.emplace_back(last, at_end);
  now = kept;
  for (const auto& [place, offset] : changes) {
    add(*place, now, offset);
    now = offset;
  }
}

void CallOffsets::change_on_edges(llvm::BasicBlock& block) {
  const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator());
  const auto wanted = invoke ? wanted_.find(invoke) : wanted_.end();
  const uint64_t from = wanted == wanted_.end() ? kept_at(block) : wanted->second;
  std::vector<llvm::BasicBlock*> targets;
  for (llvm::BasicBlock* target : llvm::successors(&block)) {
    if (!target->isEHPad() && kept_at(*target) != from && !llvm::is_contained(targets, target))
      targets.push_back(target);
  }
  for (llvm::BasicBlock* target : targets) {
    const uint64_t to = kept_at(*target);
    add(*split_edge(block, *target)->getTerminator(), from, to);
  }
}

void CallOffsets::set_where_control_arrives() {
  for (llvm::BasicBlock* block : flow_.blocks) {
    if (block->isLandingPad()) set(*block->getFirstInsertionPt(), kept_at(*block));
  }
  for (const auto& [call, offset] : behind_) {
    if (!call->isTerminator()) set(*const_cast<llvm::Instruction*>(call)->getNextNode(), offset);
  }
}

void CallOffsets::add(llvm::Instruction& place, uint64_t from, uint64_t to) const {
  if (from == to) return;
  llvm::IRBuilder<> builder(&place);
  add_to_point_word(builder, word_, static_cast<int64_t>(to - from));
}

void CallOffsets::set(llvm::Instruction& place, uint64_t offset) const {
  llvm::IRBuilder<> builder(&place);
  set_point_word(builder, word_, builder.CreateAdd(base_, builder.getInt64(offset)));
}

}  // namespace culprit
