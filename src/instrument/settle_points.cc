#include "instrument/settle_points.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

#include "instrument/call_offsets.h"
#include "instrument/flow_of_function.h"
#include "instrument/point_changes.h"
#include "instrument/sink_words.h"
#include "instrument/user_stack.h"
#include "program/loop_forest.h"

namespace culprit {
namespace {

constexpr const char* kNoPointAttribute = "culprit-no-point";
constexpr const char* kChangedAttribute = "culprit-changes-points";

bool may_lead_to_point(const llvm::CallBase& call) {
  return !llvm::isa<llvm::IntrinsicInst>(call) && !call.isInlineAsm() && !call.getAttributes().hasFnAttr(kNoPointAttribute);
}

/// One word in one function: what it is above its value at the function's entry, wherever that matters.
class WordInFunction {
 public:
  using Offset = std::optional<int64_t>;

  WordInFunction(llvm::Function& function, const llvm::GlobalVariable& points, uint64_t place)
      : function_(function), points_(points), place_(place), layout_(function.getParent()->getDataLayout()) {}

  bool changes() const {
    return llvm::any_of(llvm::instructions(function_), [&](llvm::Instruction& instruction) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      return store && is_word(*store->getPointerOperand());
    });
  }

  /// False where the offset is not known somewhere that it has to be.
  bool find_offsets() {
    if (!is_accessed_plainly()) return false;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order) {
      if (!pass(*block, entry_of(*block))) return false;
    }
    // Once more, with what loops bring.
    final_ = true;
    for (llvm::BasicBlock* block : order) {
      if (!pass(*block, at_entry_.lookup(block))) return false;
    }
    return llvm::all_of(order, [&](const llvm::BasicBlock* block) { return agrees(*block); });
  }

  /// After find_offsets, for the top of the point stack.
  void sink_words_below(llvm::Constant* top) {
    std::vector<WordStore> stores;
    std::vector<WordsReader> readers;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load && is_word(*load->getPointerOperand()) && !collect_stores(*load, stores)) return;
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !wanted_.contains(call)) continue;
      readers.push_back({call, wanted_.lookup(call)});
      if (readers.back().top < 0) return;
    }
    for (const auto& [load, offset] : sink_words(function_, stores, readers, top)) wanted_[load] = offset;
  }

  /// After find_offsets.
  void settle() {
    remove_stores();
    const FunctionFlow flow = flow_of(function_);
    const program::LoopForest forest = program::loop_forest(flow.graph);
    const CallFrequencies frequencies(function_);
    const bool has_pads = llvm::any_of(function_, [](const llvm::BasicBlock& block) { return block.isLandingPad(); });
    const PointFunction described{.function = &function_, .entry_block = 0, .entered_from_outside = false,
                                  .reentered = has_pads, .returns_twice = false, .calls = {}};
    CallOffsets offsets(described, flow, forest, frequencies, place_);
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load ? !is_word(*load->getPointerOperand()) : !llvm::isa<llvm::CallBase>(instruction)) continue;
      const auto wanted = wanted_.find(&instruction);
      if (wanted != wanted_.end()) offsets.want(instruction, static_cast<uint64_t>(wanted->second));
    }
    offsets.insert();
    lower_point_words(function_);
  }

 private:
  /// Of an address in the thread's words.
  Offset place_of(llvm::Value& pointer) const {
    if (!pointer.getType()->isPointerTy()) return std::nullopt;
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(pointer.getType()), 0);
    const llvm::Value* base = pointer.stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
    return base == &points_ ? Offset(offset.getSExtValue()) : std::nullopt;
  }
  bool is_word(llvm::Value& pointer) const { return place_of(pointer) == static_cast<int64_t>(place_); }

  /// Whole, by loads and stores that say so; and control comes back only where calls return to.
  bool is_accessed_plainly() const {
    return llvm::all_of(llvm::instructions(function_), [&](llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (reenters(*call) || call->isMustTailCall() || call->hasFnAttr(kChangedAttribute))) return false;
      return llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) {
        const Offset place = place_of(*operand);
        if (!place) return !llvm::isa<llvm::Constant>(*operand) || !mentions_points(llvm::cast<llvm::Constant>(*operand));
        if (llvm::isa<llvm::GEPOperator>(instruction)) return place_of(instruction).has_value();
        if (&operand != accessed_by(instruction)) return false;
        const uint64_t bytes = layout_.getTypeStoreSize(llvm::getLoadStoreType(&instruction));
        const auto first = static_cast<uint64_t>(*place);
        return (first == place_ && bytes == sizeof(uint64_t)) || first + bytes <= place_ || first >= place_ + sizeof(uint64_t);
      });
    });
  }
  static const llvm::Use* accessed_by(const llvm::Instruction& instruction) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return &load->getOperandUse(load->getPointerOperandIndex());
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return &store->getOperandUse(store->getPointerOperandIndex());
    return nullptr;
  }
  bool mentions_points(const llvm::Constant& constant) const {
    if (&constant == &points_) return true;
    const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
    return expression && llvm::any_of(expression->operands(), [&](const llvm::Use& part) {
             return mentions_points(*llvm::cast<llvm::Constant>(part));
           });
  }

  /// From the predecessors that were passed already. Where exceptions arrive, nothing is known.
  Offset entry_of(const llvm::BasicBlock& block) const {
    if (block.isEntryBlock()) return 0;
    if (block.isEHPad()) return std::nullopt;
    for (const llvm::BasicBlock* from : llvm::predecessors(&block)) {
      if (at_end_.contains(from)) return at_end_.lookup(from);
    }
    return std::nullopt;
  }

  bool agrees(const llvm::BasicBlock& block) const {
    return block.isEHPad() || llvm::all_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* from) {
             return !at_end_.contains(from) || at_end_.lookup(from) == at_entry_.lookup(&block);
           });
  }

  bool pass(llvm::BasicBlock& block, Offset now) {
    at_entry_[&block] = now;
    for (llvm::Instruction& instruction : block) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (!is_word(*store->getPointerOperand())) continue;
        now = offset_of(*store->getValueOperand());
        if (!now && final_) return false;
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (!is_word(*load->getPointerOperand())) continue;
        if (!now) return false;
        wanted_[load] = *now;
      } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (!may_lead_to_point(*call)) continue;
        if (!now) return false;
        wanted_[call] = *now;
      } else if (llvm::isa<llvm::ReturnInst>(instruction) && now != 0) {
        return false;
      }
    }
    at_end_[&block] = now;
    return true;
  }

  /// Of a value that is the word at entry plus a constant.
  Offset offset_of(llvm::Value& value) {
    llvm::SmallPtrSet<const llvm::PHINode*, 8> open;
    return offset_of(value, open);
  }
  Offset offset_of(llvm::Value& value, llvm::SmallPtrSetImpl<const llvm::PHINode*>& open) {
    if (llvm::isa<llvm::LoadInst>(value)) {
      const auto known = wanted_.find(llvm::cast<llvm::Instruction>(&value));
      return known == wanted_.end() ? std::nullopt : Offset(known->second);
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) return offset_of_phi(*phi, open);
    auto* operation = llvm::dyn_cast<llvm::Operator>(&value);
    if (!operation) return std::nullopt;
    Offset added = 0;
    if (operation->getOpcode() == llvm::Instruction::Add) {
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
      added = constant ? Offset(constant->getSExtValue()) : std::nullopt;
    } else if (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(operation)) {
      llvm::APInt bytes(64, 0);
      added = step->accumulateConstantOffset(layout_, bytes) ? Offset(bytes.getSExtValue()) : std::nullopt;
    } else if (operation->getOpcode() != llvm::Instruction::PtrToInt && operation->getOpcode() != llvm::Instruction::IntToPtr) {
      return std::nullopt;
    }
    const Offset base = added ? offset_of(*operation->getOperand(0), open) : std::nullopt;
    return base ? Offset(*base + *added) : std::nullopt;
  }
  /// All that come together are the same; what a loop brings is looked at in the end.
  Offset offset_of_phi(llvm::PHINode& phi, llvm::SmallPtrSetImpl<const llvm::PHINode*>& open) {
    if (!open.insert(&phi).second) return std::nullopt;
    Offset same;
    for (llvm::Value* incoming : phi.incoming_values()) {
      const auto* itself = llvm::dyn_cast<llvm::PHINode>(incoming);
      if (itself && open.contains(itself)) continue;
      const Offset offset = offset_of(*incoming, open);
      if (!offset && final_) return std::nullopt;
      if (offset && same && *offset != *same) return std::nullopt;
      if (offset) same = offset;
    }
    open.erase(&phi);
    return same;
  }

  /// Through addresses that come from this load of the top. False where memory is accessed otherwise than by whole words
  /// above the top at entry, or the address goes elsewhere.
  bool collect_stores(llvm::Value& address, std::vector<WordStore>& stores) {
    std::vector<llvm::Value*> open{&address};
    llvm::SmallPtrSet<const llvm::Value*, 16> seen;
    while (!open.empty()) {
      llvm::Value* derived = open.back();
      open.pop_back();
      const Offset place = offset_of(*derived);
      if (!place) return false;
      for (llvm::Use& use : derived->uses()) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(use.getUser());
        if (store && use.getOperandNo() != store->getPointerOperandIndex()) {
          if (!is_word(*store->getPointerOperand())) return false;
        } else if (store) {
          const bool is_whole = layout_.getTypeStoreSize(store->getValueOperand()->getType()) == sizeof(uint64_t);
          if (!is_whole || *place < 0 || *place % 8 != 0) return false;
          const bool is_known = llvm::any_of(stores, [&](const WordStore& each) { return each.store == store; });
          if (!is_known) stores.push_back({store, *place});
        } else if (llvm::isa<llvm::GEPOperator, llvm::PHINode, llvm::BinaryOperator, llvm::CastInst>(use.getUser())) {
          if (seen.insert(use.getUser()).second) open.push_back(use.getUser());
        } else {
          return false;
        }
      }
    }
    return true;
  }

  /// And what only computed what they stored. Loads that are left want the word as it was.
  void remove_stores() {
    llvm::SmallVector<llvm::WeakTrackingVH, 32> stored;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function_))) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store || !is_word(*store->getPointerOperand())) continue;
      stored.emplace_back(store->getValueOperand());
      store->eraseFromParent();
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(stored);
    for (llvm::BasicBlock& block : function_) {
      for (auto place = block.begin(); auto* phi = llvm::dyn_cast<llvm::PHINode>(&*place);) {
        // It may take other phis with it.
        if (llvm::RecursivelyDeleteDeadPHINode(phi)) place = block.begin();
        else ++place;
      }
    }
  }

  llvm::Function& function_;
  const llvm::GlobalVariable& points_;
  uint64_t place_;
  const llvm::DataLayout& layout_;
  bool final_ = false;
  llvm::DenseMap<const llvm::BasicBlock*, Offset> at_entry_;
  llvm::DenseMap<const llvm::BasicBlock*, Offset> at_end_;
  llvm::DenseMap<const llvm::Instruction*, int64_t> wanted_;
};

}  // namespace

void mark_calls_without_points(llvm::Module& module, const std::vector<PointFunction>& functions) {
  llvm::DenseSet<const llvm::CallBase*> leading;
  for (const PointFunction& function : functions) {
    for (const PointCallSite& call : function.calls) leading.insert(call.call);
  }
  const llvm::Attribute mark = llvm::Attribute::get(module.getContext(), kNoPointAttribute);
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && !llvm::isa<llvm::IntrinsicInst>(call) && !leading.contains(call)) call->addFnAttr(mark);
    }
  }
}

void mark_changed_by(llvm::CallBase& call) {
  call.addFnAttr(llvm::Attribute::get(call.getContext(), kChangedAttribute));
}

size_t settle_points(llvm::Module& module, format::PointKind kind) {
  if (kind != format::PointKind::kContext && kind != format::PointKind::kPrecise) return 0;
  const llvm::GlobalVariable& points = thread_points(module);
  size_t settled = 0;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    lower_point_words(function);
    for (const size_t place : {offsetof(format::ThreadPoints, number), offsetof(format::ThreadPoints, top)}) {
      WordInFunction in_function(function, points, place);
      if (!in_function.changes() || !in_function.find_offsets()) continue;
      if (place == offsetof(format::ThreadPoints, top) && kind == format::PointKind::kPrecise) {
        in_function.sink_words_below(thread_points_address(module, place));
      }
      in_function.settle();
      ++settled;
    }
  }
  return settled;
}

}  // namespace culprit
