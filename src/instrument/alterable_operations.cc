#include "instrument/alterable_operations.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "format/alteration.h"
#include "format/runtime_abi.h"
#include "instrument/thread_state.h"

namespace culprit {
namespace {

using format::StatementAction;

/// Whether a type's values fit in the altered value.
bool fits_in_word(const llvm::Type& type) {
  return type.isPointerTy() || type.isFloatTy() || type.isDoubleTy() ||
         (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
}

bool is_alterable_return(const llvm::ReturnInst& exit) {
  return exit.getReturnValue() && fits_in_word(*exit.getReturnValue()->getType()) &&
         !exit.getParent()->getTerminatingMustTailCall();
}

bool is_alterable_call(const llvm::CallBase& call) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return llvm::isa<llvm::MemIntrinsic>(intrinsic);
  if (llvm::isa<llvm::CallBrInst>(call) || call.isInlineAsm() || call.isMustTailCall()) return false;
  return !call.doesNotReturn() && !call.hasFnAttr(llvm::Attribute::ReturnsTwice) && !call.getType()->isTokenTy();
}

class Obedience {
 public:
  Obedience(llvm::Instruction& instruction, llvm::Value& action)
      : instruction_(instruction), action_(action), builder_(instruction.getContext()) {}

  void insert() {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction_)) return replace_read(*load);
    if (auto* exit = llvm::dyn_cast<llvm::ReturnInst>(&instruction_)) return replace_result(*exit);
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&instruction_)) {
      return leave_out(llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest()));
    }
    leave_out(instruction_.getParent()->splitBasicBlock(instruction_.getNextNode(), "culprit.after"));
  }

 private:
  llvm::Value* action_is(StatementAction action) {
    return builder_.CreateICmpEQ(&action_, builder_.getInt32(static_cast<uint32_t>(action)));
  }

  llvm::Value* read(size_t offset) {
    llvm::Constant* address = thread_state_address(*instruction_.getModule(), offset);
    return builder_.CreateLoad(builder_.getInt64Ty(), address, true);
  }

  /// Ends `block` by going to `altered` when there is an action, else on.
  void ask_in(llvm::BasicBlock* block, llvm::BasicBlock* altered, llvm::BasicBlock* as_it_is) {
    block->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(block);
    llvm::MDNode* rarely = llvm::MDBuilder(builder_.getContext()).createUnlikelyBranchWeights();
    llvm::Value* altering = builder_.CreateIsNotNull(&action_);
    builder_.CreateCondBr(altering, altered, as_it_is, rarely);
  }

  llvm::BasicBlock* new_block(llvm::BasicBlock* before) {
    return llvm::BasicBlock::Create(builder_.getContext(), "culprit.altered", before->getParent(), before);
  }

  /// The instruction stands in a block of its own, which is gone around; `after` comes behind it.
  void leave_out(llvm::BasicBlock* after) {
    llvm::BasicBlock* before = instruction_.getParent();
    llvm::BasicBlock* own = before->splitBasicBlock(&instruction_, "culprit.operation");
    llvm::BasicBlock* altered = new_block(own);
    ask_in(before, altered, own);
    builder_.SetInsertPoint(altered);
    llvm::Value* left_out = action_is(StatementAction::kSuppress);
    llvm::Type* result = instruction_.getType();
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction_)) {
      llvm::Value* plain = store->getValueOperand();
      llvm::Value* replaced = action_is(StatementAction::kReplaceWrite);
      llvm::Value* other = builder_.CreateSelect(replaced, altered_value(builder_, *plain->getType()), plain);
      builder_.CreateCondBr(left_out, after, own);
      builder_.SetInsertPoint(store);
      llvm::PHINode* value = builder_.CreatePHI(plain->getType(), 2);
      value->addIncoming(plain, before);
      value->addIncoming(other, altered);
      store->setOperand(0, value);
    } else if (result->isVoidTy()) {
      builder_.CreateCondBr(left_out, after, own);
    } else {
      llvm::Value* instead = altered_value(builder_, *result);
      builder_.CreateCondBr(left_out, after, own);
      builder_.SetInsertPoint(after, after->begin());
      llvm::PHINode* value = builder_.CreatePHI(result, 2);
      instruction_.replaceAllUsesWith(value);
      value->addIncoming(&instruction_, own);
      value->addIncoming(instead, altered);
    }
  }

  void replace_result(llvm::ReturnInst& exit) {
    llvm::BasicBlock* before = exit.getParent();
    llvm::BasicBlock* own = before->splitBasicBlock(&exit, "culprit.operation");
    llvm::BasicBlock* altered = new_block(own);
    ask_in(before, altered, own);
    builder_.SetInsertPoint(altered);
    llvm::Value* plain = exit.getReturnValue();
    llvm::Value* replaced = action_is(StatementAction::kReplaceWrite);
    llvm::Value* other = builder_.CreateSelect(replaced, altered_value(builder_, *plain->getType()), plain);
    builder_.CreateBr(own);
    builder_.SetInsertPoint(&exit);
    llvm::PHINode* value = builder_.CreatePHI(plain->getType(), 2);
    value->addIncoming(plain, before);
    value->addIncoming(other, altered);
    exit.setOperand(0, value);
  }

  void replace_read(llvm::LoadInst& load) {
    llvm::BasicBlock* before = load.getParent();
    llvm::BasicBlock* after = before->splitBasicBlock(load.getNextNode(), "culprit.after");
    llvm::BasicBlock* altered = new_block(after);
    ask_in(before, altered, after);
    builder_.SetInsertPoint(altered);
    llvm::Value* address = builder_.CreatePtrToInt(load.getPointerOperand(), builder_.getInt64Ty());
    llvm::Value* meant =
        builder_.CreateAnd(action_is(StatementAction::kReplaceRead),
                           builder_.CreateICmpEQ(address, read(offsetof(format::ThreadState, altered_address))));
    llvm::Value* other = builder_.CreateSelect(meant, altered_value(builder_, *load.getType()), &load);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after, after->begin());
    llvm::PHINode* value = builder_.CreatePHI(load.getType(), 2);
    load.replaceUsesWithIf(value, [&](llvm::Use& use) { return use.getUser() != other; });
    value->addIncoming(&load, before);
    value->addIncoming(other, altered);
  }

  llvm::Instruction& instruction_;
  llvm::Value& action_;
  llvm::IRBuilder<> builder_;
};

}  // namespace

bool is_alterable(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return is_alterable_call(*call);
  if (const auto* exit = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) return is_alterable_return(*exit);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return load->getType()->isPointerTy() || load->getType()->isIntegerTy() || load->getType()->isFloatingPointTy();
  }
  return llvm::isa<llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction);
}

llvm::Value* altered_value(llvm::IRBuilderBase& builder, llvm::Type& type) {
  const uint64_t bits = type.isPointerTy() ? 64 : type.getPrimitiveSizeInBits().getFixedValue();
  if (bits == 0 || bits > 64 || type.isVectorTy()) return llvm::Constant::getNullValue(&type);
  llvm::Constant* address =
      thread_state_address(*builder.GetInsertBlock()->getModule(), offsetof(format::ThreadState, altered_value));
  llvm::Value* word = builder.CreateLoad(builder.getInt64Ty(), address, true);
  if (type.isPointerTy()) return builder.CreateIntToPtr(word, &type);
  llvm::Value* part = builder.CreateTrunc(word, builder.getIntNTy(static_cast<unsigned>(bits)));
  return builder.CreateBitCast(part, &type);
}

void obey_action(llvm::Instruction& instruction, llvm::Value& action) {
  Obedience(instruction, action).insert();
}

}  // namespace culprit
