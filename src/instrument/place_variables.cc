#include "instrument/place_variables.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "format/undefined_values.h"
#include "instrument/context_stacks.h"
#include "instrument/fault_handlers.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/native_functions.h"
#include "instrument/pointer_uses.h"
#include "instrument/user_stack.h"
#include "instrument/variable_class.h"

namespace culprit {
namespace {

// An argument in memory is the callee's copy, made by the machine's convention on the machine's stack: copy it once
// more, into a variable that can be placed like any other.
void copy_memory_arguments(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  for (llvm::Argument& argument : function.args()) {
    if (!argument.hasByValAttr() || argument.use_empty()) continue;
    llvm::IRBuilder<> builder(&entry, entry.begin());
    const llvm::Align alignment =
        argument.getParamAlign().value_or(function.getDataLayout().getABITypeAlign(argument.getParamByValType()));
    llvm::AllocaInst* copy = builder.CreateAlloca(argument.getParamByValType());
    copy->setAlignment(alignment);
    copy->setName(argument.getName() + ".copy");
    argument.replaceAllUsesWith(copy);
    builder.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    const uint64_t bytes = function.getDataLayout().getTypeAllocSize(argument.getParamByValType());
    builder.CreateMemCpy(copy, alignment, &argument, alignment, bytes);
  }
}

// Whether the first thing that happens to a variable, in the entry block, is a store to all of it.
bool is_stored_first(const llvm::AllocaInst& variable) {
  const llvm::DataLayout& layout = variable.getDataLayout();
  for (const llvm::Instruction& instruction : *variable.getParent()) {
    if (!llvm::is_contained(instruction.operands(), &variable)) continue;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      return store->getPointerOperand() == &variable &&
             layout.getTypeStoreSize(store->getValueOperand()->getType()) == fixed_bytes(variable);
    }
    if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) {
      auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
      return copy->getDest() == &variable && length && length->getZExtValue() == fixed_bytes(variable);
    }
    return false;
  }
  return false;
}

void store_pattern(llvm::AllocaInst& variable) {
  if (fixed_bytes(variable) == 0 || is_stored_first(variable)) return;
  llvm::BasicBlock& entry = *variable.getParent();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::CallInst* set =
      builder.CreateMemSet(&variable, builder.getInt8(format::kUnwrittenByte), fixed_bytes(variable), variable.getAlign());
  set->setMetadata(metadata::kPattern, llvm::MDNode::get(variable.getContext(), {}));
}

// A call by `musttail` hands over the caller's own argument memory; nothing may stand between it and the return.
bool is_pinned(const llvm::AllocaInst& variable) {
  return variable.isUsedWithInAlloca() || variable.isSwiftError();
}

struct Allocas {
  std::vector<llvm::AllocaInst*> fixed;
  std::vector<llvm::AllocaInst*> dynamic;
};

Allocas allocas_of(llvm::Function& function) {
  Allocas allocas;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || is_pinned(*variable)) continue;
    (variable->isStaticAlloca() ? allocas.fixed : allocas.dynamic).push_back(variable);
  }
  return allocas;
}

// What is put before the first other instruction must come after every variable.
void move_to_front(const std::vector<llvm::AllocaInst*>& variables) {
  if (variables.empty()) return;
  llvm::BasicBlock& entry = *variables.front()->getParent();
  for (llvm::AllocaInst* variable : llvm::reverse(variables)) variable->moveBefore(entry, entry.begin());
}

void mark_private(llvm::AllocaInst& variable, uint64_t offset, bool in_memory) {
  llvm::IRBuilder<> builder(variable.getContext());
  auto number = [&](uint64_t value) { return llvm::ConstantAsMetadata::get(builder.getInt64(value)); };
  variable.setMetadata(
      metadata::kPrivateHome,
      llvm::MDNode::get(variable.getContext(), {number(offset), number(fixed_bytes(variable)), number(in_memory)}));
}

void place(llvm::Function& function, const PointerUses& uses, PlacedVariables& placed) {
  copy_memory_arguments(function);
  const Allocas allocas = allocas_of(function);
  move_to_front(allocas.fixed);
  std::vector<llvm::AllocaInst*> by_class[3];
  const bool all_visible = calls_returns_twice(function);
  for (llvm::AllocaInst* variable : allocas.fixed) {
    const VariableClass its = all_visible ? VariableClass::kVisible : classify(*variable, uses);
    by_class[static_cast<int>(its)].push_back(variable);
  }
  const auto& [in_registers, invisible, visible] = by_class;
  // First those that need memory in more bodies, so that the frame is small where the others need none.
  FrameLayout private_slots;
  for (llvm::AllocaInst* variable : invisible) private_slots.append(*variable);
  for (llvm::AllocaInst* variable : in_registers) private_slots.append(*variable);
  for (size_t i = 0; i < private_slots.variables.size(); ++i) {
    const FrameVariable& slot = private_slots.variables[i];
    mark_private(*slot.variable, slot.offset, i < invisible.size());
    store_pattern(*slot.variable);
  }
  FrameLayout user;
  for (llvm::AllocaInst* variable : visible) user.append(*variable);
  placed.in_registers += in_registers.size();
  placed.invisible += invisible.size();
  placed.on_user_stack += visible.size() + allocas.dynamic.size();
  placed.functions_with_user_frame += !visible.empty() || !allocas.dynamic.empty();
  build_frame(function, FrameStack::kUser, user, allocas.dynamic);
}

}  // namespace

PlacedVariables place_variables(llvm::Module& module) {
  give_contexts_stacks(module);
  redirect_fault_handlers(module);
  // Found before anything is moved: what a function does with its arguments shows best as long as its own variables are
  // there.
  const PointerUses uses(module);
  PlacedVariables placed;
  for (llvm::Function& function : module) {
    if (is_instrumented(function) && !function.isPresplitCoroutine()) place(function, uses, placed);
  }
  return placed;
}

void lower_private_homes(llvm::Function& body, PrivateHomes which) {
  FrameLayout layout;
  for (llvm::Instruction& instruction : body.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    llvm::MDNode* home = variable ? variable->getMetadata(metadata::kPrivateHome) : nullptr;
    const bool in_memory = home && number_in(*home, 2) != 0;
    if (!home || (which == PrivateHomes::kInMemory && !in_memory)) continue;
    layout.variables.push_back({variable, number_in(*home, 0)});
    layout.bytes = std::max(layout.bytes, number_in(*home, 0) + number_in(*home, 1));
    layout.alignment = std::max(layout.alignment, variable->getAlign().value());
  }
  build_frame(body, FrameStack::kPrivate, layout, {});
}

}  // namespace culprit
