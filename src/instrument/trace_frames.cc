#include "instrument/trace_frames.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "format/model_format.h"
#include "format/runtime_abi.h"
#include "format/trace_format.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/thread_state.h"
#include "instrument/trace_native_calls.h"

namespace culprit {

using format::ThreadState;
using format::TraceFrame;

TraceFrames::TraceFrames(llvm::Function& body, uint32_t entry_block, llvm::Value* activation, bool makes_calls)
    : module_(*body.getParent()), entry_block_(entry_block), activation_(activation), makes_calls_(makes_calls) {
  uint32_t count = 0;
  for (llvm::Instruction& instruction : llvm::instructions(body)) {
    if (!number_in(instruction, metadata::kBase)) continue;
    ++count;
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable && !instruction.hasMetadata(metadata::kSites)) variables_.push_back(variable);
  }
  llvm::BasicBlock& entry = body.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  record_ =
      builder.CreateAlloca(llvm::ArrayType::get(builder.getInt64Ty(), sizeof(TraceFrame) / sizeof(uint64_t) + count),
                           nullptr, "culprit.frame");
  record_->setMetadata(metadata::kInternal, llvm::MDNode::get(body.getContext(), {}));
  if (!makes_calls_) return;
  // Behind the activation's number, which is made in the entry.
  auto* numbered = llvm::dyn_cast_or_null<llvm::Instruction>(activation_);
  builder.SetInsertPoint(numbered ? numbered->getNextNode() : &*entry.getFirstNonPHIOrDbgOrAlloca());
  fill(builder);
}

llvm::Value* TraceFrames::member(llvm::IRBuilderBase& builder, uint64_t offset) const {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record_, offset);
}

llvm::Value* TraceFrames::base(llvm::IRBuilderBase& builder, const llvm::Instruction& of) const {
  return member(builder, sizeof(TraceFrame) + *number_in(of, metadata::kBase) * sizeof(uint64_t));
}

void TraceFrames::fill(llvm::IRBuilderBase& builder) {
  llvm::Constant* frames = thread_state_address(module_, offsetof(ThreadState, trace_frames));
  builder.CreateStore(builder.CreateLoad(builder.getPtrTy(), frames), member(builder, offsetof(TraceFrame, caller)));
  builder.CreateStore(builder.getInt32(entry_block_), member(builder, offsetof(TraceFrame, entry_block)));
  llvm::Value* activation = activation_ ? activation_ : builder.getInt32(0);
  builder.CreateStore(activation, member(builder, offsetof(TraceFrame, activation)));
  const uint64_t words = record_->getAllocatedType()->getArrayNumElements();
  const auto bases = static_cast<uint32_t>(words - sizeof(TraceFrame) / sizeof(uint64_t));
  builder.CreateStore(builder.getInt32(bases), member(builder, offsetof(TraceFrame, bases)));
}

void TraceFrames::note_bases(llvm::IRBuilderBase& builder, const std::vector<llvm::Instruction*>& bases) {
  bases_ = bases;
  if (makes_calls_) store_bases(builder);
}

void TraceFrames::store_bases(llvm::IRBuilderBase& builder) {
  for (llvm::Instruction* each : bases_) builder.CreateStore(word_of(builder, each), base(builder, *each));
}

void TraceFrames::store_variables(llvm::IRBuilderBase& builder) {
  for (llvm::AllocaInst* each : variables_) {
    llvm::Value* value = builder.CreateLoad(each->getAllocatedType(), each);
    builder.CreateStore(word_of(builder, value), base(builder, *each));
  }
}

void TraceFrames::before_call(llvm::IRBuilderBase& builder, llvm::CallBase& call, uint32_t operation) {
  // The frame is gone when the callee runs, which comes back to the caller.
  if (call.isMustTailCall()) return leave(builder);
  builder.CreateStore(builder.getInt32(operation), member(builder, offsetof(TraceFrame, call)));
  store_variables(builder);
  builder.CreateStore(record_, thread_state_address(module_, offsetof(ThreadState, trace_frames)));
}

void TraceFrames::leave(llvm::IRBuilderBase& builder) {
  if (!makes_calls_) return;
  llvm::Value* caller = builder.CreateLoad(builder.getPtrTy(), member(builder, offsetof(TraceFrame, caller)));
  builder.CreateStore(caller, thread_state_address(module_, offsetof(ThreadState, trace_frames)));
}

llvm::Value* TraceFrames::full(llvm::IRBuilderBase& builder, llvm::Value* position, uint32_t place) {
  if (!makes_calls_) {
    fill(builder);
    store_bases(builder);
  }
  store_variables(builder);
  auto* pointer = builder.getPtrTy();
  llvm::FunctionCallee full =
      module_.getOrInsertFunction(format::kTraceFullAtSymbol, pointer, pointer, builder.getInt32Ty(), pointer);
  auto* function = llvm::cast<llvm::Function>(full.getCallee());
  function->setDoesNotThrow();
  function->setCallingConv(llvm::CallingConv::PreserveMost);
  function->addFnAttr(llvm::Attribute::Cold);
  // Nothing of the program's is written, so that what the program reads may stay in registers; all records are read.
  function->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly() | llvm::MemoryEffects::readOnly());
  llvm::CallInst* call = builder.CreateCall(full, {position, builder.getInt32(place), record_});
  call->setCallingConv(llvm::CallingConv::PreserveMost);
  return call;
}

}  // namespace culprit
