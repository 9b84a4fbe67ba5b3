#include "instrument/trace_writer.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <iterator>

#include "format/runtime_abi.h"
#include "format/trace_format.h"
#include "instrument/metadata.h"
#include "instrument/thread_state.h"

namespace culprit {
namespace {

using format::ThreadState;

constexpr int kLeastDelta = 2 - format::kTraceDeltaBias;
constexpr uint64_t kDeltas = format::kTraceMostDelta - 1;
constexpr uint64_t kAbsoluteBytes = 9;

}  // namespace

TraceWriter::TraceWriter(llvm::Function& body, bool in_register)
    : module_(*body.getParent()), scopes_(body.getContext()) {
  if (!in_register) return;
  llvm::BasicBlock& entry = body.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  variable_ = builder.CreateAlloca(builder.getPtrTy(), nullptr, "culprit.position");
  variable_->setMetadata(metadata::kInternal, llvm::MDNode::get(body.getContext(), {}));
  builder.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  take_back(builder);
  prepared_ = &*std::prev(builder.GetInsertPoint());
}

void TraceWriter::write_byte(llvm::IRBuilderBase& builder, llvm::Value* byte) {
  llvm::Value* at = position(builder);
  write(builder.CreateStore(byte, at));
  set_position(builder, advanced(builder, at, 1));
}

void TraceWriter::write_event(llvm::IRBuilderBase& builder, uint8_t event,
                              std::initializer_list<llvm::Value*> numbers) {
  llvm::Value* at = position(builder);
  write(builder.CreateStore(builder.getInt8(event), at));
  uint64_t written = 1;
  for (llvm::Value* number : numbers) {
    write(builder.CreateAlignedStore(number, advanced(builder, at, written), llvm::Align(1)));
    written += number->getType()->getIntegerBitWidth() / 8;
  }
  set_position(builder, advanced(builder, at, written));
}

// Without a branch: nine bytes are written always, the last eight as zeros where the first says it all, since what
// follows the last event must be zero.
void TraceWriter::write_address(llvm::IRBuilderBase& builder, llvm::Value* address, uint32_t site) {
  llvm::Type* word = builder.getInt64Ty();
  if (address->getType()->isPointerTy()) address = builder.CreatePtrToInt(address, word);
  address = builder.CreateZExtOrTrunc(address, word);
  llvm::Value* table = constant_member(builder, offsetof(ThreadState, trace_previous));
  llvm::Value* slot = builder.CreateConstGEP1_64(word, table, site);
  llvm::LoadInst* previous = builder.CreateLoad(word, slot);
  llvm::Value* delta = builder.CreateSub(address, previous);
  scopes_.mark(*previous, TraceScope::kSites);
  scopes_.mark(*builder.CreateStore(address, slot), TraceScope::kSites);
  write_word(builder, address, delta);
}

void TraceWriter::write_value(llvm::IRBuilderBase& builder, llvm::Value* value) {
  llvm::Type* word = builder.getInt64Ty();
  if (value->getType()->isPointerTy()) {
    value = builder.CreatePtrToInt(value, word);
  } else if (value->getType()->isFloatingPointTy()) {
    const unsigned bits = value->getType()->getScalarSizeInBits();
    value = builder.CreateBitCast(value, builder.getIntNTy(bits));
  }
  value = builder.CreateSExtOrTrunc(value, word);
  write_word(builder, value, value);
}

void TraceWriter::write_word(llvm::IRBuilderBase& builder, llvm::Value* word, llvm::Value* delta) {
  llvm::Value* moved = builder.CreateSub(delta, builder.getInt64(static_cast<uint64_t>(int64_t{kLeastDelta})));
  llvm::Value* is_near = builder.CreateICmpULT(moved, builder.getInt64(kDeltas));
  llvm::Value* code = builder.CreateTrunc(builder.CreateAdd(moved, builder.getInt64(2)), builder.getInt8Ty());
  llvm::Value* at = position(builder);
  write(builder.CreateStore(builder.CreateSelect(is_near, code, builder.getInt8(format::kTraceAbsolute)), at));
  write(builder.CreateAlignedStore(builder.CreateSelect(is_near, builder.getInt64(0), word), advanced(builder, at, 1),
                                   llvm::Align(1)));
  llvm::Value* bytes = builder.CreateSelect(is_near, builder.getInt64(1), builder.getInt64(kAbsoluteBytes));
  set_position(builder, builder.CreateGEP(builder.getInt8Ty(), at, bytes));
}

void TraceWriter::check_room(llvm::Instruction& before, const Full& full) {
  llvm::IRBuilder<> builder(&before);
  llvm::Value* at = position(builder);
  llvm::Value* limit = constant_member(builder, offsetof(ThreadState, trace_limit));
  llvm::Value* is_full = builder.CreateICmpUGE(at, limit);
  llvm::MDNode* rarely = llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights();
  llvm::IRBuilder<> empty(llvm::SplitBlockAndInsertIfThen(is_full, &before, false, rarely));
  if (full) return set_position(empty, full(empty, at));
  llvm::FunctionCallee emptied =
      module_.getOrInsertFunction(format::kTraceFullSymbol, empty.getPtrTy(), empty.getPtrTy());
  auto* function = llvm::cast<llvm::Function>(emptied.getCallee());
  function->setDoesNotThrow();
  function->setCallingConv(llvm::CallingConv::PreserveMost);
  function->addFnAttr(llvm::Attribute::Cold);
  // Nothing of the program's, so that what the program reads may stay in registers.
  function->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
  llvm::CallInst* call = empty.CreateCall(emptied, {at});
  call->setCallingConv(llvm::CallingConv::PreserveMost);
  set_position(empty, call);
}

void TraceWriter::hand_over(llvm::IRBuilderBase& builder) {
  if (!variable_) return;
  scopes_.mark(*builder.CreateStore(builder.CreateLoad(builder.getPtrTy(), variable_),
                                    thread_state_address(module_, offsetof(ThreadState, trace_position))),
               TraceScope::kPosition);
}

void TraceWriter::take_back(llvm::IRBuilderBase& builder) {
  if (!variable_) return;
  llvm::Constant* shared = thread_state_address(module_, offsetof(ThreadState, trace_position));
  llvm::LoadInst* position = builder.CreateLoad(builder.getPtrTy(), shared);
  scopes_.mark(*position, TraceScope::kPosition);
  builder.CreateStore(position, variable_);
}

llvm::Value* TraceWriter::position(llvm::IRBuilderBase& builder) {
  if (variable_) return builder.CreateLoad(builder.getPtrTy(), variable_);
  llvm::LoadInst* shared =
      builder.CreateLoad(builder.getPtrTy(), thread_state_address(module_, offsetof(ThreadState, trace_position)));
  scopes_.mark(*shared, TraceScope::kPosition);
  return shared;
}

void TraceWriter::set_position(llvm::IRBuilderBase& builder, llvm::Value* position) {
  if (variable_) {
    builder.CreateStore(position, variable_);
    return;
  }
  scopes_.mark(*builder.CreateStore(position, thread_state_address(module_, offsetof(ThreadState, trace_position))),
               TraceScope::kPosition);
}

llvm::Value* TraceWriter::constant_member(llvm::IRBuilderBase& builder, size_t offset) {
  llvm::LoadInst* member = builder.CreateLoad(builder.getPtrTy(), thread_state_address(module_, offset));
  member->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.getContext(), {}));
  return member;
}

llvm::Value* TraceWriter::advanced(llvm::IRBuilderBase& builder, llvm::Value* position, uint64_t bytes) {
  return builder.CreateConstGEP1_64(builder.getInt8Ty(), position, bytes);
}

}  // namespace culprit
