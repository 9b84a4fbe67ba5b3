#include "instrument/clean_up_branches.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "instrument/metadata.h"

namespace culprit {
namespace {

bool is_branch(const llvm::User* user) {
  return llvm::isa<llvm::BranchInst, llvm::SwitchInst>(user);
}

/// Whether nothing but branches has to do with the variable; then `branches` are all of them.
bool only_branches_use(const llvm::AllocaInst& variable, llvm::SmallVectorImpl<llvm::Instruction*>& branches) {
  for (const llvm::User* user : variable.users()) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getPointerOperand() != &variable || !llvm::isa<llvm::ConstantInt>(store->getValueOperand()))
        return false;
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      for (const llvm::User* use : load->users()) {
        if (!is_branch(use)) return false;
        branches.push_back(llvm::cast<llvm::Instruction>(const_cast<llvm::User*>(use)));
      }
    } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user); !call || !call->isLifetimeStartOrEnd()) {
      return false;
    }
  }
  return !branches.empty();
}

}  // namespace

void mark_clean_up_branches(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || !variable->getAllocatedType()->isIntegerTy()) continue;
    if (!llvm::findDVRDeclares(variable).empty() || !llvm::findDbgDeclares(variable).empty()) continue;
    llvm::SmallVector<llvm::Instruction*, 4> branches;
    if (!only_branches_use(*variable, branches)) continue;
    for (llvm::Instruction* branch : branches) {
      branch->setMetadata(metadata::kCleanUp, llvm::MDNode::get(function.getContext(), {}));
    }
  }
}

}  // namespace culprit
