#include "instrument/context_stacks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "format/runtime_abi.h"

namespace culprit {

void give_contexts_stacks(llvm::Module& module) {
  llvm::Function* make = module.getFunction("makecontext");
  if (!make || !make->isDeclaration()) return;
  llvm::LLVMContext& context = module.getContext();
  llvm::FunctionCallee made = module.getOrInsertFunction(format::kContextMadeSymbol, llvm::Type::getVoidTy(context),
                                                         llvm::PointerType::get(context, 0));
  for (llvm::User* user : make->users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || call->getCalledFunction() != make) continue;
    llvm::IRBuilder<> builder(call->getNextNode());
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    builder.CreateCall(made, {call->getArgOperand(0)});
  }
}

}  // namespace culprit
