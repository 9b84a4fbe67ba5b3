#include "instrument/lower_indirect_branches.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace culprit {
namespace {

// Whether `value`, a label address or an expression of it, is an operand of inline assembly.
bool reaches_assembly(const llvm::Value& value) {
  for (const llvm::User* user : value.users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call && call->isInlineAsm()) return true;
    if (llvm::isa<llvm::ConstantExpr>(user) && reaches_assembly(*user)) return true;
  }
  return false;
}

std::vector<llvm::BlockAddress*> label_addresses(llvm::Function& function) {
  std::vector<llvm::BlockAddress*> addresses;
  for (llvm::BasicBlock& block : function) {
    if (llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block)) addresses.push_back(address);
  }
  return addresses;
}

void lower_branch(llvm::IndirectBrInst& branch, const llvm::DenseMap<llvm::BasicBlock*, unsigned>& numbers) {
  llvm::IRBuilder<> builder(&branch);
  llvm::BasicBlock* source = branch.getParent();
  // Natively a wild jump; no body relies on it.
  auto* wild = llvm::BasicBlock::Create(branch.getContext(), "indirect.wild", source->getParent());
  new llvm::UnreachableInst(branch.getContext(), wild);
  llvm::Value* number = builder.CreatePtrToInt(branch.getAddress(), builder.getInt64Ty());
  llvm::SwitchInst* choice = builder.CreateSwitch(number, wild, branch.getNumDestinations());
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
  for (unsigned i = 0; i < branch.getNumDestinations(); ++i) {
    llvm::BasicBlock* target = branch.getDestination(i);
    auto found = numbers.find(target);
    if (found != numbers.end() && seen.insert(target).second) {
      choice->addCase(builder.getInt64(found->second), target);
    } else {
      target->removePredecessor(source);
    }
  }
  choice->setDebugLoc(branch.getDebugLoc());
  branch.eraseFromParent();
}

}  // namespace

std::vector<llvm::Function*> lower_indirect_branches(llvm::Module& module) {
  std::vector<llvm::Function*> left;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    std::vector<llvm::BlockAddress*> addresses = label_addresses(function);
    if (llvm::any_of(addresses, [](llvm::BlockAddress* address) { return reaches_assembly(*address); })) {
      left.push_back(&function);
      continue;
    }
    llvm::DenseMap<llvm::BasicBlock*, unsigned> numbers;
    llvm::Type* number_type = llvm::Type::getInt64Ty(module.getContext());
    for (llvm::BlockAddress* address : addresses) {
      const unsigned number = numbers.size() + 1;
      numbers[address->getBasicBlock()] = number;
      address->replaceAllUsesWith(
          llvm::ConstantExpr::getIntToPtr(llvm::ConstantInt::get(number_type, number), address->getType()));
      address->destroyConstant();
    }
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(function)) {
      if (auto* branch = llvm::dyn_cast<llvm::IndirectBrInst>(block.getTerminator())) lower_branch(*branch, numbers);
    }
  }
  return left;
}

}  // namespace culprit
