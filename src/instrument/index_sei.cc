// Structural execution indexing (EPID §II-C; MI fig. 8; Xin, Sumner, Zhang, PLDI 2008): the calls and the branches
// whose regions are open. A branch's region ends at its immediate post-dominator, which closes it.
//
// What keeps the stack small:
// - A branch is pushed only where a point can be reached from its region.
// - A push is left out when whatever depends on its edge depends on nothing else: then being there says that the edge
//   was taken. So plain ifs, and all but one of the guards of a loop, push nothing.
// - Pushing what is on top already counts it up instead: a loop with one guard that is left has a counter.
// - Loops that are left in several ways push another branch each iteration, while those of the iterations before are
//   still open. Two branches that lie in each other's regions end at the same block, because each one's post-dominator
//   is one of the other's. So they are closed together, and one entry stands for all of them: a hash of how it came
//   about. The stack is as deep as regions nest in the source.
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "instrument/edges.h"
#include "instrument/flow_of_function.h"
#include "instrument/index_kinds.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "program/control_dependence.h"
#include "program/dominators.h"

namespace culprit {
namespace {

constexpr uint64_t kEntryBytes = 2 * sizeof(uint64_t);
/// Names a block that the program model does not have: one that a pass made.
constexpr uint32_t kMadeBlock = 0x40000000;

/// Odd, so that multiplying loses nothing (splitmix64).
constexpr uint64_t kBranchMultiplier = 0xbf58476d1ce4e5b9, kHistoryMultiplier = 0x94d049bb133111eb;

std::optional<uint32_t> model_block(const llvm::BasicBlock& block) {
  return number_in(*block.getTerminator(), metadata::kBlock);
}

/// The program model numbers edges in order of their source blocks.
std::vector<uint32_t> first_edges(const llvm::Module& module) {
  std::vector<uint32_t> first;
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      const auto number = model_block(block);
      if (!number) continue;
      if (first.size() < *number + 2) first.resize(*number + 2, 0);
      first[*number + 1] = block.getTerminator()->getNumSuccessors();
    }
  }
  for (size_t block = 1; block < first.size(); ++block) first[block] += first[block - 1];
  return first;
}

class StructuralIndex {
 public:
  StructuralIndex(const PointFunction& function, const std::vector<uint32_t>& first_edge, PointTables& tables)
      : function_(function),
        first_edge_(first_edge),
        tables_(tables),
        flow_(flow_of(*function.function)),
        post_dominators_(program::post_dominators(flow_.graph)),
        dependence_(program::control_dependence(flow_.graph, post_dominators_)) {}

  void insert() {
    find_needed_edges();
    PointWords words(function_);
    make_top(words);
    if (function_.returns_twice) keep_top_over_second_returns();
    for (const uint32_t edge : pushed_) push_on(edge);
    for (const auto& [pad, edges] : pad_edges_) push_in_pad(pad, edges);
    for (const auto& [block, name] : closing_) {
      if (!pad_edges_.contains(block)) pop_before(*flow_.blocks[block]->getFirstInsertionPt(), block);
    }
    for (const PointCallSite& call : function_.calls) {
      tables_.sites.push_back({call.site, function_.entry_block, 0, 0});
      llvm::IRBuilder<> builder(call.call);
      words.publish(call, top(builder));
    }
  }

 private:
  uint32_t source_of(uint32_t edge) const {
    const auto after = std::upper_bound(flow_.graph.first_edge.begin(), flow_.graph.first_edge.end(), edge);
    return static_cast<uint32_t>(after - flow_.graph.first_edge.begin()) - 1;
  }

  /// Parallel edges are one.
  uint32_t canonical(uint32_t edge) const {
    const uint32_t source = source_of(edge);
    for (uint32_t each = flow_.graph.first_edge[source]; each < edge; ++each) {
      if (flow_.graph.targets[each] == flow_.graph.targets[edge]) return each;
    }
    return edge;
  }

  std::vector<uint32_t> parents_of(uint32_t block) const {
    std::set<uint32_t> parents;
    for (const uint32_t edge : dependence_.of(block)) parents.insert(canonical(edge));
    return {parents.begin(), parents.end()};
  }

  /// The edges that points depend on, directly or not, and of these the ones that have to be pushed.
  void find_needed_edges() {
    std::vector<uint32_t> open;
    std::vector<bool> seen(flow_.graph.size(), false);
    const auto reach = [&](uint32_t block) {
      if (!seen[block]) open.push_back(block);
      seen[block] = true;
    };
    for (const PointCallSite& call : function_.calls) reach(flow_.number.lookup(call.call->getParent()));
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      const std::vector<uint32_t> parents = parents_of(block);
      const bool runs_always = program::is_ancestor(post_dominators_.immediate, block, 0);
      const bool infers_parent = parents.size() == 1 && !runs_always;
      for (const uint32_t edge : parents) {
        if (!infers_parent) pushed_.insert(edge);
        reach(source_of(edge));
      }
    }
    // Names are taken before blocks are divided.
    for (const uint32_t edge : pushed_) {
      const uint32_t source = source_of(edge);
      const uint32_t closing = post_dominators_.immediate[source];
      if (closing != flow_.graph.size()) closing_.emplace(closing, name_of_block(closing));
      words_[edge] = branch_word(edge);
      branches_[edge] = flow_.blocks[source]->getTerminator();
    }
  }

  void make_top(const PointWords& words) {
    auto* first = llvm::cast<llvm::Instruction>(words.first());
    llvm::IRBuilder<> builder(first);
    top_ = builder.CreateAlloca(builder.getPtrTy(), nullptr, "culprit.index");
    top_->setMetadata(metadata::kInternal, llvm::MDNode::get(builder.getContext(), {}));
    builder.SetInsertPoint(first->getNextNode());
    set_top(builder, first);
  }

  llvm::Value* top(llvm::IRBuilderBase& builder) const {
    return builder.CreateLoad(builder.getPtrTy(), top_, function_.returns_twice);
  }
  void set_top(llvm::IRBuilderBase& builder, llvm::Value* value) const {
    builder.CreateStore(value, top_, function_.returns_twice);
  }

  void keep_top_over_second_returns() {
    std::vector<llvm::CallInst*> calls;
    for (llvm::BasicBlock& block : *function_.function) {
      for (llvm::Instruction& instruction : block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call && call->canReturnTwice()) calls.push_back(call);
      }
    }
    for (llvm::CallInst* call : calls) {
      llvm::IRBuilder<> before(call);
      llvm::Value* at_first = top(before);
      llvm::IRBuilder<> after(call->getNextNode());
      set_top(after, at_first);
    }
  }

  uint32_t name_of_block(uint32_t block) const {
    return model_block(*flow_.blocks[block]).value_or(kMadeBlock + block);
  }

  uint64_t branch_word(uint32_t edge) const {
    const uint32_t source = source_of(edge);
    const uint32_t way = edge - flow_.graph.first_edge[source];
    const auto block = model_block(*flow_.blocks[source]);
    const uint32_t name = block ? first_edge_[*block] + way : kMadeBlock + edge;
    const uint32_t closing = post_dominators_.immediate[source];
    const uint64_t closes = closing == flow_.graph.size() ? format::kNoClosingBlock : name_of_block(closing);
    return closes << 32 | format::kBranchMark | name;
  }

  void push_on(uint32_t edge) {
    const uint32_t source = source_of(edge), target = flow_.graph.targets[edge];
    llvm::BasicBlock& from = *flow_.blocks[source];
    llvm::BasicBlock& to = *flow_.blocks[target];
    if (!can_split_edge(from, to)) {
      pad_edges_[target].push_back(edge);
      return;
    }
    llvm::BasicBlock* middle = split_edge(from, to);
    // What ends where this edge leads is below what this edge begins.
    if (closing_.contains(target)) pop_before(*middle->getTerminator(), target);
    push_before(*target_edge_end(*middle, to), words_.at(edge), repeats(edge));
  }

  /// The last instruction of the code on an edge, which popping has divided into blocks.
  static llvm::Instruction* target_edge_end(llvm::BasicBlock& first, const llvm::BasicBlock& to) {
    llvm::BasicBlock* block = &first;
    while (true) {
      llvm::Instruction* last = block->getTerminator();
      for (unsigned each = 0; each < last->getNumSuccessors(); ++each) {
        if (last->getSuccessor(each) == &to) return last;
      }
      // A popping loop is left by its second successor.
      block = last->getSuccessor(last->getNumSuccessors() - 1);
    }
  }

  /// Whether a branch can be reached again within its own region.
  bool repeats(uint32_t edge) const {
    std::vector<uint32_t> open{source_of(edge)};
    std::vector<bool> seen(flow_.graph.size(), false);
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      for (const uint32_t parent : parents_of(block)) {
        if (parent == edge) return true;
        const uint32_t source = source_of(parent);
        if (!seen[source]) open.push_back(source);
        seen[source] = true;
      }
    }
    return false;
  }

  void push_before(llvm::Instruction& place, uint64_t word, bool may_be_on_top) {
    llvm::IRBuilder<> builder(&place);
    const auto at = [&](llvm::Value* base, int64_t bytes) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, static_cast<uint64_t>(bytes));
    };
    llvm::Value* end = top(builder);
    if (!may_be_on_top) {
      builder.CreateStore(builder.getInt64(1), end);
      builder.CreateStore(builder.getInt64(word), at(end, 8));
      set_top(builder, at(end, kEntryBytes));
      return;
    }
    // Branch-free: the entry on top counts up, or takes the new branch in, or a new one is written behind it.
    llvm::Value* on_top = builder.CreateLoad(builder.getInt64Ty(), at(end, -8));
    llvm::Value* same = builder.CreateICmpEQ(on_top, builder.getInt64(word));
    llvm::Value* joins = builder.CreateICmpEQ(builder.CreateLShr(on_top, 31), builder.getInt64(word >> 31));
    llvm::Value* entry = builder.CreateSelect(joins, at(end, -static_cast<int64_t>(kEntryBytes)), end);
    llvm::Value* old = builder.CreateLoad(builder.getInt64Ty(), entry);
    llvm::Value* more = builder.CreateAdd(old, builder.getInt64(1));
    llvm::Value* hash =
        builder.CreateMul(builder.CreateXor(old, builder.CreateMul(on_top, builder.getInt64(kBranchMultiplier))),
                          builder.getInt64(kHistoryMultiplier));
    llvm::Value* first_or_hash = builder.CreateSelect(joins, hash, builder.getInt64(1));
    builder.CreateStore(builder.CreateSelect(same, more, first_or_hash), entry);
    builder.CreateStore(builder.getInt64(word), at(entry, 8));
    set_top(builder, at(entry, kEntryBytes));
  }

  /// Landing pads: which edge led here is a value, since the edges cannot hold code.
  void push_in_pad(uint32_t pad, const std::vector<uint32_t>& edges) {
    llvm::BasicBlock& block = *flow_.blocks[pad];
    llvm::IRBuilder<> at_head(&block, block.begin());
    llvm::PHINode* word = at_head.CreatePHI(at_head.getInt64Ty(), 2);
    for (llvm::BasicBlock* from : llvm::predecessors(&block)) {
      uint64_t value = 0;
      for (const uint32_t edge : edges) {
        if (branches_.at(edge) == from->getTerminator()) value = words_.at(edge);
      }
      word->addIncoming(at_head.getInt64(value), from);
    }
    llvm::Instruction* place = &*block.getFirstInsertionPt();
    if (closing_.contains(pad)) pop_before(*place, pad);
    llvm::IRBuilder<> builder(place);
    llvm::Value* end = top(builder);
    builder.CreateStore(builder.getInt64(1), end);
    builder.CreateStore(word, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), end, 8));
    llvm::Value* behind = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), end, kEntryBytes);
    set_top(builder, builder.CreateSelect(builder.CreateICmpNE(word, builder.getInt64(0)), behind, end));
  }

  /// while (the entry on top is closed by `closing`) pop it. An activation's entries end at its caller's call word,
  /// which has no mark.
  void pop_before(llvm::Instruction& place, uint32_t closing) {
    llvm::BasicBlock* before = place.getParent();
    llvm::BasicBlock* after = llvm::SplitBlock(before, place.getIterator());
    llvm::LLVMContext& context = before->getContext();
    llvm::BasicBlock* test = llvm::BasicBlock::Create(context, "", before->getParent(), after);
    llvm::BasicBlock* pop = llvm::BasicBlock::Create(context, "", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, test);
    llvm::IRBuilder<> builder(test);
    builder.SetCurrentDebugLocation(place.getDebugLoc());
    llvm::Value* end = top(builder);
    llvm::Value* word = builder.CreateLoad(
        builder.getInt64Ty(), builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), end, static_cast<uint64_t>(-8)));
    const uint64_t wanted = static_cast<uint64_t>(closing_.at(closing)) << 1 | 1;
    builder.CreateCondBr(builder.CreateICmpEQ(builder.CreateLShr(word, 31), builder.getInt64(wanted)), pop, after);
    builder.SetInsertPoint(pop);
    set_top(builder, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), end, static_cast<uint64_t>(-kEntryBytes)));
    builder.CreateBr(test);
    for (llvm::PHINode& phi : after->phis()) phi.replaceIncomingBlockWith(before, test);
  }

  const PointFunction& function_;
  const std::vector<uint32_t>& first_edge_;
  PointTables& tables_;
  FunctionFlow flow_;
  program::PostDominators post_dominators_;
  program::ControlDependence dependence_;
  std::set<uint32_t> pushed_;                            ///< edges
  std::map<uint32_t, uint64_t> words_;                   ///< of the pushed edges
  std::map<uint32_t, llvm::Instruction*> branches_;      ///< where the pushed edges come from
  std::map<uint32_t, uint32_t> closing_;                 ///< blocks that close what is pushed, and their names
  std::map<uint32_t, std::vector<uint32_t>> pad_edges_;  ///< landing pad: edges to it that are pushed
  llvm::AllocaInst* top_ = nullptr;
};

}  // namespace

PointTables insert_structural_index(llvm::Module& module, const std::vector<PointFunction>& functions) {
  const std::vector<uint32_t> first_edge = first_edges(module);
  PointTables tables;
  for (const PointFunction& function : functions) StructuralIndex(function, first_edge, tables).insert();
  return tables;
}

}  // namespace culprit
