// A load in a loop's header is made whenever the loop is reached, so it may be made just before. One behind the
// header's test is made only when the loop is entered: then the test is made once more before the loop, and the load
// under it. Optimisers find that the two tests are one.
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "instrument/edges.h"
#include "instrument/invariant_loads.h"
#include "instrument/metadata.h"
#include "instrument/native_functions.h"

namespace culprit {
namespace {

using Block = llvm::BasicBlock;

constexpr unsigned kLargestTest = 24;  // instructions of a header that are made twice

llvm::MDNode* mark_of(const llvm::LoadInst& load) {
  return load.getMetadata(metadata::kInvariant);
}

const llvm::AllocaInst* variable_of(const llvm::Value* address) {
  return llvm::dyn_cast<llvm::AllocaInst>(address);
}

/// Only read and written as a whole.
bool is_plain(const llvm::AllocaInst& variable) {
  return llvm::all_of(variable.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::LoadInst>(user)) return true;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) return store->getPointerOperand() == &variable;
    if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(user)) return set->getDest() == &variable;
    return false;
  });
}

bool changes_in(const llvm::AllocaInst& variable, const llvm::Loop& loop) {
  return !is_plain(variable) || llvm::any_of(variable.users(), [&](const llvm::User* user) {
    auto* instruction = llvm::cast<llvm::Instruction>(user);
    return !llvm::isa<llvm::LoadInst>(instruction) && loop.contains(instruction->getParent());
  });
}

bool is_computation(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator, llvm::CmpInst>(instruction);
}

class LoopHoist {
 public:
  LoopHoist(llvm::Loop& loop, llvm::DominatorTree& dominators, llvm::LoopInfo& loops)
      : loop_(loop), dominators_(dominators), loops_(loops) {}

  /// Changes control flow in front of the loop only when it hoists from behind the header's test.
  size_t hoist() {
    collect();
    if (in_header_.empty() && behind_test_.empty()) return 0;
    Block* preheader = loop_.getLoopPreheader();
    if (!preheader) {
      preheader = llvm::InsertPreheaderForLoop(&loop_, &dominators_, &loops_, nullptr, /*PreserveLCSSA=*/false);
    }
    if (!preheader || !can_split_edge(*preheader, *loop_.getHeader())) return 0;
    Block* before = split_edge(*preheader, *loop_.getHeader());
    note(*before, *preheader);
    dominators_.changeImmediateDominator(loop_.getHeader(), before);
    for (llvm::LoadInst* load : in_header_) hoist_to(*load, *before->getTerminator());
    const bool more = llvm::any_of(behind_test_, [&](auto* load) { return !variables_.contains(mark_of(*load)); });
    if (more && can_repeat_test()) {
      llvm::BranchInst* test = repeat_test(*before->getTerminator());
      Block* inside = split_edge(*before, *loop_.getHeader());
      test->setSuccessor(stays_ ? 1 : 0, loop_.getHeader());
      note(*inside, *before);
      passed_ = internal_variable(llvm::Type::getInt1Ty(inside->getContext()));
      llvm::IRBuilder<>(&*before->getFirstInsertionPt())
          .CreateStore(llvm::ConstantInt::getFalse(before->getContext()), passed_);
      llvm::IRBuilder<>(inside->getTerminator()).CreateStore(llvm::ConstantInt::getTrue(inside->getContext()), passed_);
      for (const auto& known : variables_) certain_.insert(known.first);
      for (llvm::LoadInst* load : behind_test_) hoist_to(*load, *inside->getTerminator());
    }
    replace();
    return hoisted_;
  }

 private:
  /// The loads that every first iteration makes, before anything else can be seen of it.
  void collect() {
    llvm::SmallPtrSet<const Block*, 8> passed;
    bool behind_test = false;
    for (Block* block = loop_.getHeader(); block && passed.insert(block).second;) {
      const bool own = loops_.getLoopFor(block) == &loop_;
      for (llvm::Instruction& instruction : *block) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load && own && mark_of(*load)) (behind_test ? behind_test_ : in_header_).push_back(load);
        if (shows(instruction)) return;
      }
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch) return;
      Block* next = nullptr;
      if (branch->isUnconditional()) {
        next = branch->getSuccessor(0);
      } else {
        // One test can be repeated.
        if (behind_test) return;
        const bool first = loop_.contains(branch->getSuccessor(0));
        if (first == loop_.contains(branch->getSuccessor(1))) return;
        if (block != loop_.getHeader()) return;
        next = branch->getSuccessor(first ? 0 : 1);
        stays_ = first;
        behind_test = true;
      }
      if (!loop_.contains(next) || next->getSinglePredecessor() != block) return;
      block = next;
    }
  }

  static bool shows(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction) || instruction.isTerminator()) return false;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return !variable_of(store->getPointerOperand());
    return instruction.mayHaveSideEffects();
  }

  /// The value before the loop, computed at `place`; null when it is not one that can be.
  llvm::Value* value_before(llvm::Value& value, llvm::Instruction& place) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction || !loop_.contains(instruction->getParent())) return &value;
    llvm::IRBuilder<> builder(&place);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
      if (llvm::MDNode* mark = mark_of(*load)) {
        llvm::AllocaInst* known = variables_.lookup(mark);
        return known ? builder.CreateLoad(load->getType(), known) : nullptr;
      }
      const llvm::AllocaInst* variable = variable_of(load->getPointerOperand());
      if (!variable || !load->isSimple() || changes_in(*variable, loop_)) return nullptr;
    } else if (!is_computation(*instruction)) {
      return nullptr;
    }
    llvm::SmallVector<llvm::Value*, 4> operands;
    for (llvm::Use& operand : instruction->operands()) {
      llvm::Value* before = value_before(*operand, place);
      if (!before) return nullptr;
      operands.push_back(before);
    }
    llvm::Instruction* copy = instruction->clone();
    for (unsigned index = 0; index != operands.size(); ++index) copy->setOperand(index, operands[index]);
    put_before(*copy, place);
    return copy;
  }

  /// Keeps the statement, which a fault is told by, but is no execution of it.
  static void put_before(llvm::Instruction& copy, llvm::Instruction& place) {
    copy.setMetadata(metadata::kInternal, llvm::MDNode::get(copy.getContext(), {}));
    copy.insertBefore(&place);
  }

  void hoist_to(llvm::LoadInst& load, llvm::Instruction& place) {
    if (variables_.contains(mark_of(load))) return;
    llvm::Value* address = value_before(*load.getPointerOperand(), place);
    if (!address) return;
    llvm::LoadInst* before = llvm::cast<llvm::LoadInst>(load.clone());
    before->setMetadata(metadata::kInvariant, nullptr);
    before->setOperand(0, address);
    put_before(*before, place);
    llvm::AllocaInst* variable = internal_variable(load.getType());
    llvm::IRBuilder<>(&place).CreateStore(before, variable);
    variables_[mark_of(load)] = variable;
    ++hoisted_;
  }

  /// One that the program does not have.
  llvm::AllocaInst* internal_variable(llvm::Type* type) {
    llvm::IRBuilder<> builder(&*loop_.getHeader()->getParent()->getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst* variable = builder.CreateAlloca(type, nullptr, "culprit.invariant");
    variable->setMetadata(metadata::kInternal, llvm::MDNode::get(builder.getContext(), {}));
    return variable;
  }

  bool can_repeat_test() const {
    const Block& header = *loop_.getHeader();
    return header.size() <= kLargestTest && llvm::all_of(header, [](const llvm::Instruction& instruction) {
             if (instruction.isTerminator() || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) return true;
             auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
             return load ? load->isSimple() : is_computation(instruction);
           });
  }

  /// The header once more before `place`, which goes; its branch leads to the header both ways.
  llvm::BranchInst* repeat_test(llvm::Instruction& place) {
    llvm::DenseMap<llvm::Value*, llvm::Value*> copy_of;
    llvm::BranchInst* test = nullptr;
    for (llvm::Instruction& instruction : *loop_.getHeader()) {
      if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
      llvm::Instruction* copy = instruction.clone();
      copy->dropUnknownNonDebugMetadata();
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      llvm::AllocaInst* known = load && mark_of(*load) ? variables_.lookup(mark_of(*load)) : nullptr;
      for (llvm::Use& operand : copy->operands()) {
        if (llvm::Value* before = copy_of.lookup(operand)) operand.set(before);
      }
      if (known) copy->setOperand(0, known);
      copy->insertBefore(&place);
      copy_of[&instruction] = copy;
      if (instruction.isTerminator()) test = llvm::cast<llvm::BranchInst>(copy);
    }
    test->setSuccessor(0, loop_.getHeader());
    test->setSuccessor(1, loop_.getHeader());
    place.eraseFromParent();
    return test;
  }

  /// A block that is new in front of the loop.
  void note(Block& added, Block& above) {
    dominators_.addNewBlock(&added, &above);
    if (llvm::Loop* around = loop_.getParentLoop()) around->addBasicBlockToLoop(&added, loops_);
  }

  /// Every load of what has been loaded reads the variable, also where it is made under a condition.
  void replace() {
    for (Block* block : loop_.blocks()) {
      if (loops_.getLoopFor(block) != &loop_) continue;
      for (llvm::Instruction& instruction : *block) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        llvm::AllocaInst* variable = load && mark_of(*load) ? variables_.lookup(mark_of(*load)) : nullptr;
        if (!variable) continue;
        const bool certain = !passed_ || certain_.contains(mark_of(*load));
        load->setOperand(0, certain ? variable : choice(*load, *variable));
      }
    }
  }

  /// The variable, or the address where an alteration entered the loop although its test fails; see
  /// settle_guarded_loads.
  llvm::Value* choice(llvm::LoadInst& load, llvm::AllocaInst& variable) {
    llvm::IRBuilder<> builder(&load);
    llvm::Value* passed = builder.CreateLoad(builder.getInt1Ty(), passed_);
    auto* chosen = llvm::SelectInst::Create(passed, &variable, load.getPointerOperand(), "", load.getIterator());
    chosen->setMetadata(metadata::kGuarded, llvm::MDNode::get(builder.getContext(), {}));
    return chosen;
  }

  llvm::Loop& loop_;
  llvm::DominatorTree& dominators_;
  llvm::LoopInfo& loops_;
  std::vector<llvm::LoadInst*> in_header_;
  std::vector<llvm::LoadInst*> behind_test_;
  bool stays_ = false;  ///< whether the header's test stays in the loop when it is true
  llvm::DenseMap<const llvm::MDNode*, llvm::AllocaInst*> variables_;
  llvm::AllocaInst* passed_ = nullptr;           ///< whether the repeated test led into the loop
  llvm::DenseSet<const llvm::MDNode*> certain_;  ///< what was loaded before the test
  size_t hoisted_ = 0;
};

}  // namespace

size_t hoist_invariant_loads(llvm::Module& module) {
  size_t hoisted = 0;
  for (llvm::Function& function : module) {
    if (!is_instrumented(function)) continue;
    std::vector<llvm::LoadInst*> marked;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && mark_of(*load)) marked.push_back(load);
    }
    if (marked.empty()) continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) hoisted += LoopHoist(*loop, dominators, loops).hoist();
    for (llvm::LoadInst* load : marked) load->setMetadata(metadata::kInvariant, nullptr);
  }
  return hoisted;
}

void settle_guarded_loads(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
      if (!choice || !choice->hasMetadata(metadata::kGuarded)) continue;
      choice->replaceAllUsesWith(choice->getTrueValue());
      choice->eraseFromParent();
    }
  }
}

}  // namespace culprit
