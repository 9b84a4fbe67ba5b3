// Before anything is inlined, most variables of C++ and many of C have their address taken only to call a function that
// reads or writes them: member functions, references, results by pointer. No such address is ever visible, and after
// inlining the variable is a register. On the user stack it would stay in memory (measured: 1.15x on jsoncpp, 1.08x on
// Lua).
#include "instrument/pointer_uses.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "instrument/native_functions.h"
#include "instrument/user_stack.h"

namespace culprit {
namespace {

// A recursive function may pass its pointer on with an ever larger offset.
constexpr int64_t kFarthest = 4096;

// A local pointer that is set once: reading it is reading what was stored.
bool is_set_once(const llvm::AllocaInst& pointer) {
  unsigned stores = 0;
  for (const llvm::Use& use : pointer.uses()) {
    const llvm::User* user = use.getUser();
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getPointerOperand() != &pointer || !store->isSimple() || ++stores > 1) return false;
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (!load->isSimple() || !load->getType()->isPointerTy()) return false;
    } else {
      return false;
    }
  }
  return pointer.isStaticAlloca();
}

}  // namespace

class PointerUses::Walk {
 public:
  Walk(const PointerUses& known, const llvm::Value& root, llvm::SmallSetVector<const llvm::Argument*, 8>* asked)
      : known_(known), layout_(layout_of(root)), asked_(asked) {
    follow(root, 0);
  }

  PointerUse result() {
    while (use_.contained && !open_.empty()) {
      const llvm::Value* pointer = open_.pop_back_val();
      const int64_t offset = offsets_.lookup(pointer);
      for (const llvm::Use& use : pointer->uses()) {
        if (!look_at(use, offset)) {
          use_ = {.contained = false};
          break;
        }
      }
    }
    return use_;
  }

 private:
  static const llvm::DataLayout& layout_of(const llvm::Value& root) {
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(&root)) return argument->getParent()->getDataLayout();
    return llvm::cast<llvm::Instruction>(root).getDataLayout();
  }

  bool follow(const llvm::Value& pointer, int64_t offset) {
    if (offset < -kFarthest || offset > kFarthest) return false;
    auto [known, is_new] = offsets_.try_emplace(&pointer, offset);
    if (is_new) open_.push_back(&pointer);
    return known->second == offset;
  }

  bool access(int64_t offset, uint64_t bytes) {
    if (bytes > kFarthest || offset < -kFarthest || offset > kFarthest) return false;
    use_.low = std::min(use_.low, offset);
    use_.high = std::max(use_.high, offset + static_cast<int64_t>(bytes));
    return true;
  }

  bool look_at(const llvm::Use& use, int64_t offset) {
    const llvm::User* user = use.getUser();
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      return load->isSimple() && access(offset, layout_.getTypeStoreSize(load->getType()));
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) return look_at_store(use, *store, offset);
    if (auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt distance(layout_.getIndexTypeSizeInBits(element->getType()), 0);
      return element->accumulateConstantOffset(layout_, distance) && follow(*element, offset + distance.getSExtValue());
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) return look_at_call(use, *call, offset);
    // Equality with the address of another variable, or with null, is the same in every body as long as it is the
    // address of something inside.
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user)) {
      use_.passed = true;
      return compare->isEquality() && access(offset, 1);
    }
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) {
      use_.passed = true;
      return follow(*user, offset);
    }
    if (llvm::isa<llvm::ReturnInst>(user)) {
      const bool agrees = !use_.returned || use_.returned_offset == offset;
      use_.returned = true;
      use_.returned_offset = offset;
      return agrees;
    }
    return false;
  }

  bool look_at_store(const llvm::Use& use, const llvm::StoreInst& store, int64_t offset) {
    if (use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex()) {
      return store.isSimple() && access(offset, layout_.getTypeStoreSize(store.getValueOperand()->getType()));
    }
    auto* pointer = llvm::dyn_cast<llvm::AllocaInst>(store.getPointerOperand());
    if (!pointer || !is_set_once(*pointer)) return false;
    use_.passed = true;
    for (const llvm::User* user : pointer->users()) {
      if (llvm::isa<llvm::LoadInst>(user) && !follow(*user, offset)) return false;
    }
    return true;
  }

  bool look_at_call(const llvm::Use& use, const llvm::CallBase& call, int64_t offset) {
    if (auto* access_call = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
      auto* length = llvm::dyn_cast<llvm::ConstantInt>(access_call->getLength());
      return length && !access_call->isVolatile() && access(offset, length->getZExtValue());
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
      return intrinsic->isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic);
    }
    use_.passed = true;
    if (!call.isArgOperand(&use)) return false;
    const unsigned argument = call.getArgOperandNo(&use);
    if (call.isByValArgument(argument))
      return access(offset, layout_.getTypeAllocSize(call.getParamByValType(argument)));
    const llvm::Function* callee = call.getCalledFunction();
    const PointerUse* there = callee ? known_.of_argument(*callee, argument) : nullptr;
    if (!there) return false;
    if (asked_) asked_->insert(callee->getArg(argument));
    if (!there->contained) return false;
    if (there->high > there->low) {
      if (!access(offset + there->low, 0) || !access(offset + there->high, 0)) return false;
    }
    return !there->returned || follow(call, offset + there->returned_offset);
  }

  const PointerUses& known_;
  const llvm::DataLayout& layout_;
  llvm::SmallSetVector<const llvm::Argument*, 8>* asked_;
  llvm::DenseMap<const llvm::Value*, int64_t> offsets_;
  llvm::SmallVector<const llvm::Value*, 16> open_;
  PointerUse use_;
};

PointerUses::PointerUses(const llvm::Module& module) {
  llvm::SetVector<const llvm::Argument*> open;
  for (const llvm::Function& function : module) {
    const bool is_known = !function.isDeclaration() && !function.isInterposable() && !function.isPresplitCoroutine() &&
                          !stays_native(function) && !calls_returns_twice(function);
    if (!is_known) continue;
    for (const llvm::Argument& argument : function.args()) {
      if (!argument.getType()->isPointerTy()) continue;
      arguments_[&argument] = {};
      open.insert(&argument);
    }
  }
  llvm::DenseMap<const llvm::Argument*, llvm::SmallSetVector<const llvm::Argument*, 8>> dependents;
  while (!open.empty()) {
    const llvm::Argument* argument = open.pop_back_val();
    llvm::SmallSetVector<const llvm::Argument*, 8> asked;
    const PointerUse use = walk(*argument, &asked);
    for (const llvm::Argument* other : asked) dependents[other].insert(argument);
    if (use == arguments_[argument]) continue;
    arguments_[argument] = use;
    for (const llvm::Argument* dependent : dependents[argument]) open.insert(dependent);
  }
}

PointerUse PointerUses::walk(const llvm::Value& root, llvm::SmallSetVector<const llvm::Argument*, 8>* asked) const {
  return Walk(*this, root, asked).result();
}

const PointerUse* PointerUses::of_argument(const llvm::Function& callee, unsigned argument) const {
  if (argument >= callee.arg_size()) return nullptr;
  auto found = arguments_.find(callee.getArg(argument));
  return found == arguments_.end() ? nullptr : &found->second;
}

PointerUse PointerUses::of(const llvm::AllocaInst& variable) const {
  return walk(variable, nullptr);
}

}  // namespace culprit
