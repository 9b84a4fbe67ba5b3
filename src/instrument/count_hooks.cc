#include "instrument/count_hooks.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include <array>

#include "format/runtime_abi.h"
#include "instrument/native_functions.h"
#include "instrument/thread_state.h"

namespace culprit {
namespace {

using Counts = std::array<int64_t, format::kCountKinds>;

bool counts_as_access(const llvm::Value* address) {
  return !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

Counts count_block(const llvm::BasicBlock& block) {
  Counts counts{};
  counts[format::kCountBlocks] = 1;
  for (const llvm::Instruction& instruction : block) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      counts[format::kCountLoads] += counts_as_access(load->getPointerOperand());
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      counts[format::kCountStores] += counts_as_access(store->getPointerOperand());
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      counts[format::kCountCalls] += !llvm::isa<llvm::IntrinsicInst>(call) && !call->isInlineAsm();
    }
  }
  return counts;
}

bool starts_statement(const llvm::Instruction& instruction, const llvm::DILocation* previous) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  if (!location || location->getLine() == 0 || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) return false;
  return !previous || location->getLine() != previous->getLine() || location->getScope() != previous->getScope();
}

/// Nothing may stand between a `musttail` call and its return.
bool follows_tail_call(const llvm::Instruction& instruction) {
  return instruction.getParent()->getTerminatingMustTailCall() && !llvm::isa<llvm::CallInst>(instruction) &&
         (instruction.isTerminator() || llvm::isa<llvm::BitCastInst>(instruction));
}

}  // namespace

void insert_count_hooks(llvm::Module& observed_half) {
  for (llvm::Function& function : observed_half) {
    if (!is_instrumented(function)) continue;
    for (llvm::BasicBlock& block : function) {
      if (block.getFirstInsertionPt() == block.end()) continue;  // a catchswitch holds no code
      const Counts counts = count_block(block);
      llvm::IRBuilder<> builder(&*block.getFirstInsertionPt());
      for (size_t kind = 0; kind != counts.size(); ++kind) {
        if (counts[kind] == 0) continue;
        add_to_thread_state(builder, offsetof(format::ThreadState, counts) + kind * sizeof(uint64_t), counts[kind]);
      }
    }
  }
}

void insert_statement_barriers(llvm::Module& observed_half) {
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(observed_half.getContext()), false);
  llvm::InlineAsm* barrier = llvm::InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true);
  for (llvm::Function& function : observed_half) {
    if (!is_instrumented(function)) continue;
    for (llvm::BasicBlock& block : function) {
      std::vector<llvm::Instruction*> statements;
      const llvm::DILocation* previous = nullptr;
      for (llvm::Instruction& instruction : block) {
        if (!starts_statement(instruction, previous)) continue;
        previous = instruction.getDebugLoc();
        const bool movable = !llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) && !instruction.isEHPad();
        if (movable && !follows_tail_call(instruction)) statements.push_back(&instruction);
      }
      for (llvm::Instruction* statement : statements)
        llvm::IRBuilder<>(statement).CreateCall(barrier)->setDoesNotThrow();
    }
  }
}

}  // namespace culprit
