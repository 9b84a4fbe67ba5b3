#include "instrument/variable_class.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace culprit {
namespace {

struct Place {
  const llvm::Value* address;
  int64_t offset;
};

bool is_inside(int64_t offset, uint64_t bytes, uint64_t variable_bytes) {
  return offset >= 0 && static_cast<uint64_t>(offset) <= variable_bytes &&
         bytes <= variable_bytes - static_cast<uint64_t>(offset);
}

class UseWalk {
 public:
  explicit UseWalk(const llvm::AllocaInst& variable)
      : layout_(variable.getDataLayout()), bytes_(fixed_bytes(variable)), open_{{&variable, 0}} {}

  bool only_inside_accesses() {
    while (!open_.empty()) {
      Place place = open_.pop_back_val();
      for (const llvm::Use& use : place.address->uses()) {
        if (!is_inside_access(use, place.offset)) return false;
      }
    }
    return true;
  }

 private:
  bool is_inside_access(const llvm::Use& use, int64_t offset) {
    const llvm::User* user = use.getUser();
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      return load->isSimple() && is_inside(offset, layout_.getTypeStoreSize(load->getType()), bytes_);
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex() && store->isSimple() &&
             is_inside(offset, layout_.getTypeStoreSize(store->getValueOperand()->getType()), bytes_);
    }
    if (auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt distance(layout_.getIndexTypeSizeInBits(element->getType()), 0);
      if (!element->accumulateConstantOffset(layout_, distance)) return false;
      open_.push_back({element, offset + distance.getSExtValue()});
      return true;
    }
    if (auto* access = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
      auto* length = llvm::dyn_cast<llvm::ConstantInt>(access->getLength());
      return length && !access->isVolatile() && is_inside(offset, length->getZExtValue(), bytes_);
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
      return intrinsic->isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic);
    }
    return false;
  }

  const llvm::DataLayout& layout_;
  uint64_t bytes_;
  llvm::SmallVector<Place, 16> open_;
};

}  // namespace

unsigned long fixed_bytes(const llvm::AllocaInst& variable) {
  return variable.getAllocationSize(variable.getDataLayout())->getFixedValue();
}

bool is_private(const llvm::AllocaInst& variable) {
  return variable.isStaticAlloca() && UseWalk(variable).only_inside_accesses();
}

}  // namespace culprit
