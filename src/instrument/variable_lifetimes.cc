#include "instrument/variable_lifetimes.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "instrument/native_functions.h"

namespace culprit {
namespace {

/// Larger aggregates are left to the optimiser.
constexpr size_t kMostMembers = 16;
/// Instructions before optimisation.
constexpr unsigned kLargestFunction = 4000;

/// A scalar inside of a variable.
struct Member {
  llvm::Type* type;
  uint64_t offset;
};

bool fits_register(const llvm::Type& type) {
  if (type.isPointerTy() || type.isFloatTy() || type.isDoubleTy()) return true;
  return type.isIntegerTy() && type.getIntegerBitWidth() >= 8 && type.getIntegerBitWidth() <= 64;
}

void collect_members(llvm::Type& type, uint64_t offset, const llvm::DataLayout& layout, std::vector<Member>& members) {
  if (members.size() > kMostMembers) return;
  if (fits_register(type)) {
    members.push_back({&type, offset});
  } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout* places = layout.getStructLayout(structure);
    for (unsigned index = 0; index != structure->getNumElements(); ++index) {
      collect_members(*structure->getElementType(index), offset + places->getElementOffset(index), layout, members);
    }
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    const uint64_t bytes = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t index = 0; index != array->getNumElements() && members.size() <= kMostMembers; ++index) {
      collect_members(*array->getElementType(), offset + index * bytes, layout, members);
    }
  }
}

bool is_described(llvm::AllocaInst& variable) {
  return !llvm::findDbgDeclares(&variable).empty() || !llvm::findDVRDeclares(&variable).empty();
}

/// Empty assembly that needs the value.
void need(llvm::IRBuilder<>& builder, llvm::Value* value) {
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {value->getType()}, false);
  const char* constraint = value->getType()->isFloatingPointTy() ? "x" : "r";
  builder.CreateCall(llvm::InlineAsm::get(type, "", constraint, /*hasSideEffects=*/true), {value})->setDoesNotThrow();
}

/// Computes what is assigned where it is assigned; else it would be put off until it is used.
void need_assigned_values(llvm::Function& function, const llvm::DenseSet<const llvm::Value*>& variables) {
  std::vector<llvm::StoreInst*> assignments;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || !fits_register(*store->getValueOperand()->getType())) continue;
    if (variables.contains(llvm::getUnderlyingObject(store->getPointerOperand()))) assignments.push_back(store);
  }
  for (llvm::StoreInst* store : assignments) {
    llvm::IRBuilder<> builder(store->getNextNode());
    need(builder, store->getValueOperand());
  }
}

void keep_variables(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  std::vector<std::pair<llvm::AllocaInst*, std::vector<Member>>> variables;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || variable->isArrayAllocation() || !is_described(*variable)) continue;
    std::vector<Member> members;
    collect_members(*variable->getAllocatedType(), 0, layout, members);
    if (members.size() <= kMostMembers) variables.emplace_back(variable, std::move(members));
  }
  llvm::DenseSet<const llvm::Value*> kept;
  for (const auto& [variable, members] : variables) kept.insert(variable);
  need_assigned_values(function, kept);
  for (llvm::BasicBlock& block : function) {
    // Nothing may stand between a `musttail` call and its return.
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator()) || block.getTerminatingMustTailCall()) continue;
    llvm::IRBuilder<> builder(block.getTerminator());
    for (const auto& [variable, members] : variables) {
      for (const Member& member : members) {
        llvm::Value* address = builder.CreateConstGEP1_64(builder.getInt8Ty(), variable, member.offset);
        need(builder, builder.CreateLoad(member.type, address));
      }
    }
  }
}

}  // namespace

void keep_variables_until_return(llvm::Module& observed_half) {
  for (llvm::Function& function : observed_half) {
    if (is_instrumented(function) && function.getInstructionCount() <= kLargestFunction) keep_variables(function);
  }
}

}  // namespace culprit
