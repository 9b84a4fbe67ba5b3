#include "instrument/early_functions.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace culprit {

llvm::SmallPtrSet<llvm::Function*, 16> early_functions(llvm::Module& module) {
  llvm::SmallPtrSet<llvm::Function*, 16> early;
  llvm::SmallVector<llvm::Function*, 16> open;
  auto reach = [&](llvm::Function* function) {
    if (function && !function->isDeclaration() && early.insert(function).second) open.push_back(function);
  };
  for (llvm::GlobalIFunc& ifunc : module.ifuncs()) reach(ifunc.getResolverFunction());
  while (!open.empty()) {
    for (llvm::Instruction& instruction : llvm::instructions(*open.pop_back_val())) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call) reach(llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCastsAndAliases()));
    }
  }
  return early;
}

}  // namespace culprit
