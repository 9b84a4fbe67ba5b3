#include "instrument/thread_state.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "format/runtime_abi.h"

namespace culprit {

llvm::GlobalVariable* thread_state(llvm::Module& module) {
  if (llvm::GlobalVariable* existing = module.getGlobalVariable(format::kThreadStateSymbol)) return existing;
  auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), sizeof(format::ThreadState));
  auto* state =
      new llvm::GlobalVariable(module, bytes, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                               format::kThreadStateSymbol, nullptr, llvm::GlobalVariable::InitialExecTLSModel);
  state->setAlignment(llvm::Align(alignof(format::ThreadState)));
  return state;
}

llvm::Value* thread_state_member(llvm::IRBuilderBase& builder, size_t offset) {
  llvm::GlobalVariable* state = thread_state(*builder.GetInsertBlock()->getModule());
  llvm::Value* address = builder.CreateThreadLocalAddress(state);
  return offset == 0 ? address : builder.CreateConstGEP1_64(builder.getInt8Ty(), address, offset);
}

}  // namespace culprit
