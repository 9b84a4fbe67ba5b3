#include "instrument/forward_past_events.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "instrument/trace_scopes.h"

namespace culprit {
namespace {

constexpr size_t kMostKnown = 32;        // places, of a block
constexpr unsigned kMostSpeculated = 8;  // instructions

/// What is known to be in memory at a point of a block.
struct Known {
  llvm::Value* pointer;
  llvm::Value* value;
  llvm::MemoryLocation location;
  bool is_stored;  ///< by the block, which so may store there
};

/// `if (condition) *pointer = value;` behind a block that has stored to the pointer.
struct ConditionalStore {
  llvm::BranchInst* branch;
  llvm::BasicBlock* then;
  llvm::BasicBlock* end;
  llvm::StoreInst* store;
  llvm::Value* before;  ///< the value that is there otherwise
};

class Forwarding {
 public:
  explicit Forwarding(llvm::AAResults& aliases) : aliases_(aliases) {}

  bool run(llvm::BasicBlock& block) {
    bool changed = false;
    while (true) {
      changed = forward(block) || changed;
      const std::optional<ConditionalStore> found = conditional_store(block);
      if (!found) return changed;
      store_always(*found);
      changed = true;
    }
  }

 private:
  /// Afterwards known_ is of the block's end.
  bool forward(llvm::BasicBlock& block) {
    known_.clear();
    bool changed = false;
    for (llvm::Instruction& each : llvm::make_early_inc_range(block)) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&each); load && load->isSimple()) {
        const Known* known = find(load->getPointerOperand());
        if (!known) {
          learn({load->getPointerOperand(), load, llvm::MemoryLocation::get(load), false});
        } else if (known->value->getType() == load->getType()) {
          load->replaceAllUsesWith(known->value);
          load->eraseFromParent();
          changed = true;
        }
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&each); store && store->isSimple()) {
        if (is_event(*store)) continue;
        const llvm::MemoryLocation location = llvm::MemoryLocation::get(store);
        std::erase_if(known_, [&](const Known& other) { return !aliases_.isNoAlias(other.location, location); });
        learn({store->getPointerOperand(), store->getValueOperand(), location, true});
      } else if (each.mayWriteToMemory()) {
        known_.clear();
      }
    }
    return changed;
  }

  void learn(const Known& known) {
    if (known_.size() < kMostKnown) known_.push_back(known);
  }
  const Known* find(const llvm::Value* pointer) const {
    const auto at =
        std::find_if(known_.begin(), known_.end(), [&](const Known& each) { return each.pointer == pointer; });
    return at == known_.end() ? nullptr : &*at;
  }

  std::optional<ConditionalStore> conditional_store(llvm::BasicBlock& block) const {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional()) return std::nullopt;
    for (unsigned way : {0u, 1u}) {
      llvm::BasicBlock* then = branch->getSuccessor(way);
      llvm::BasicBlock* end = branch->getSuccessor(1 - way);
      if (then->getSinglePredecessor() != &block || then->getUniqueSuccessor() != end || then == end) continue;
      if (!llvm::isa<llvm::BranchInst>(then->getTerminator()) || llvm::isa<llvm::PHINode>(then->front())) continue;
      if (const auto found = only_store(*branch, *then, *end)) return found;
    }
    return std::nullopt;
  }

  /// If `then` has one store to known memory and nothing else that may not be executed always.
  std::optional<ConditionalStore> only_store(llvm::BranchInst& branch, llvm::BasicBlock& then,
                                             llvm::BasicBlock& end) const {
    llvm::StoreInst* store = nullptr;
    unsigned others = 0;
    for (llvm::Instruction& each : then) {
      if (each.isTerminator() || each.isDebugOrPseudoInst()) continue;
      if (auto* found = llvm::dyn_cast<llvm::StoreInst>(&each); found && !store && found->isSimple()) {
        store = found;
      } else if (++others > kMostSpeculated || !llvm::isSafeToSpeculativelyExecute(&each)) {
        return std::nullopt;
      }
    }
    if (!store) return std::nullopt;
    const Known* known = find(store->getPointerOperand());
    if (!known || !known->is_stored || known->value->getType() != store->getValueOperand()->getType()) {
      return std::nullopt;
    }
    return ConditionalStore{&branch, &then, &end, store, known->value};
  }

  static void store_always(const ConditionalStore& found) {
    llvm::BasicBlock* head = found.branch->getParent();
    const bool on_true = found.branch->getSuccessor(0) == found.then;
    llvm::IRBuilder<> builder(found.branch);
    const auto either = [&](llvm::Value* then, llvm::Value* otherwise) {
      llvm::Value* condition = found.branch->getCondition();
      return on_true ? builder.CreateSelect(condition, then, otherwise)
                     : builder.CreateSelect(condition, otherwise, then);
    };
    for (llvm::Instruction& each : llvm::make_early_inc_range(*found.then)) {
      if (!each.isTerminator()) each.moveBefore(found.branch);
    }
    builder.SetInsertPoint(found.store);
    found.store->setOperand(0, either(found.store->getValueOperand(), found.before));
    builder.SetInsertPoint(found.branch);
    for (llvm::PHINode& phi : found.end->phis()) {
      llvm::Value* then = phi.getIncomingValueForBlock(found.then);
      llvm::Value* otherwise = phi.getIncomingValueForBlock(head);
      if (then != otherwise) phi.setIncomingValueForBlock(head, either(then, otherwise));
    }
    found.end->removePredecessor(found.then, /*KeepOneInputPHIs=*/true);
    builder.CreateBr(found.end);
    found.branch->eraseFromParent();
    found.then->getTerminator()->eraseFromParent();
    found.then->eraseFromParent();
    llvm::MergeBlockIntoPredecessor(found.end);
  }

  llvm::AAResults& aliases_;
  std::vector<Known> known_;
};

bool has_events(const llvm::Function& body) {
  return std::any_of(llvm::inst_begin(body), llvm::inst_end(body), [](const llvm::Instruction& each) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
    return store && is_event(*store);
  });
}

}  // namespace

bool forward_past_events(llvm::Function& body, llvm::AAResults& aliases) {
  if (!has_events(body)) return false;
  Forwarding forwarding(aliases);
  bool changed = false;
  // What follows a block may become part of it.
  for (auto block = body.begin(); block != body.end(); ++block) changed = forwarding.run(*block) || changed;
  return changed;
}

}  // namespace culprit
