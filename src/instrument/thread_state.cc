#include "instrument/thread_state.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "format/runtime_abi.h"

namespace culprit {

llvm::GlobalVariable* thread_state(llvm::Module& module) {
  if (llvm::GlobalVariable* existing = module.getGlobalVariable(format::kThreadStateSymbol)) return existing;
  auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), sizeof(format::ThreadState));
  auto* state = new llvm::GlobalVariable(module, bytes, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                         format::kThreadStateSymbol, nullptr, llvm::GlobalVariable::LocalExecTLSModel);
  state->setAlignment(llvm::Align(alignof(format::ThreadState)));
  state->setVisibility(llvm::GlobalValue::HiddenVisibility);
  state->setDSOLocal(true);
  return state;
}

llvm::Value* thread_state_member(llvm::IRBuilderBase& builder, size_t offset) {
  llvm::GlobalVariable* state = thread_state(*builder.GetInsertBlock()->getModule());
  llvm::Value* address = builder.CreateThreadLocalAddress(state);
  return offset == 0 ? address : builder.CreateConstGEP1_64(builder.getInt8Ty(), address, offset);
}

llvm::Constant* thread_state_address(llvm::Module& module, size_t offset) {
  auto* index = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), offset);
  return llvm::ConstantExpr::getInBoundsGetElementPtr(llvm::Type::getInt8Ty(module.getContext()), thread_state(module),
                                                      index);
}

llvm::Value* add_to_thread_state(llvm::IRBuilderBase& builder, size_t offset, int64_t amount) {
  llvm::Constant* address = thread_state_address(*builder.GetInsertBlock()->getModule(), offset);
  llvm::Value* old_value = builder.CreateLoad(builder.getInt64Ty(), address);
  llvm::Value* new_value = builder.CreateAdd(old_value, builder.getInt64(amount));
  builder.CreateStore(new_value, address);
  return new_value;
}

}  // namespace culprit
