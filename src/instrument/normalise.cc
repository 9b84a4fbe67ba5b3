#include "instrument/normalise.h"

#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include "format/undefined_values.h"
#include "instrument/clean_up_branches.h"
#include "instrument/metadata.h"

namespace culprit {
namespace {

constexpr unsigned kPromisingMetadata[] = {
    llvm::LLVMContext::MD_tbaa,
    llvm::LLVMContext::MD_tbaa_struct,
    llvm::LLVMContext::MD_range,
    llvm::LLVMContext::MD_invariant_load,
    llvm::LLVMContext::MD_alias_scope,
    llvm::LLVMContext::MD_noalias,
    llvm::LLVMContext::MD_nonnull,
    llvm::LLVMContext::MD_mem_parallel_loop_access,
    llvm::LLVMContext::MD_dereferenceable,
    llvm::LLVMContext::MD_dereferenceable_or_null,
    llvm::LLVMContext::MD_make_implicit,
    llvm::LLVMContext::MD_invariant_group,
    llvm::LLVMContext::MD_align,
    llvm::LLVMContext::MD_callees,
    llvm::LLVMContext::MD_access_group,
    llvm::LLVMContext::MD_noundef,
    llvm::LLVMContext::MD_fpmath,
};

llvm::Constant* pattern_of(llvm::Type* type, const llvm::DataLayout& layout) {
  const unsigned bits = layout.getTypeSizeInBits(type).getFixedValue();
  llvm::Constant* integer =
      llvm::ConstantInt::get(type->getContext(), llvm::APInt::getSplat(bits, llvm::APInt(8, format::kUnwrittenByte)));
  if (type->isPointerTy()) return llvm::ConstantExpr::getIntToPtr(integer, type);
  return llvm::ConstantExpr::getBitCast(integer, type);
}

bool has_pattern(llvm::Type* type) {
  return type->isIntegerTy() || type->isFloatingPointTy() || type->isPointerTy();
}

// A loop may run for ever (mustprogress) and its iterations may depend on each other, whatever its header promises.
void normalise_loop(llvm::Instruction& latch) {
  llvm::MDNode* loop = latch.getMetadata(llvm::LLVMContext::MD_loop);
  if (!loop) return;
  llvm::SmallVector<llvm::Metadata*, 8> kept{nullptr};
  for (const llvm::MDOperand& operand : llvm::drop_begin(loop->operands())) {
    auto* property = llvm::dyn_cast<llvm::MDNode>(operand.get());
    auto* name =
        property && property->getNumOperands() ? llvm::dyn_cast<llvm::MDString>(property->getOperand(0)) : nullptr;
    const bool promise =
        name && (name->getString() == "llvm.loop.mustprogress" || name->getString() == "llvm.loop.parallel_accesses");
    if (!promise) kept.push_back(operand.get());
  }
  if (kept.size() == loop->getNumOperands()) return;
  if (kept.size() == 1) {
    latch.setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    return;
  }
  llvm::MDNode* normalised = llvm::MDNode::getDistinct(latch.getContext(), kept);
  normalised->replaceOperandWith(0, normalised);
  latch.setMetadata(llvm::LLVMContext::MD_loop, normalised);
}

void drop_promises(llvm::Instruction& instruction) {
  instruction.dropPoisonGeneratingFlags();
  if (llvm::isa<llvm::FPMathOperator>(instruction)) instruction.copyFastMathFlags(llvm::FastMathFlags());
  for (unsigned kind : kPromisingMetadata) instruction.setMetadata(kind, nullptr);
  normalise_loop(instruction);
}

// What is undefined in the source must be one value in all bodies. Aggregates under construction start from poison and
// are left alone: every member that is read has been inserted.
void fix_undefined_operands(llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  if (llvm::isa<llvm::InsertValueInst, llvm::InsertElementInst, llvm::ShuffleVectorInst>(instruction)) return;
  for (llvm::Use& operand : instruction.operands()) {
    if (llvm::isa<llvm::UndefValue>(operand) && has_pattern(operand->getType())) {
      operand.set(pattern_of(operand->getType(), layout));
    }
  }
}

// LLVM calls a shift by the width or more poison; the machine takes the amount modulo the width.
void fix_shift_amount(llvm::Instruction& instruction) {
  if (!instruction.isShift()) return;
  const unsigned width = instruction.getType()->getScalarSizeInBits();
  if (!llvm::isPowerOf2_32(width)) return;
  llvm::Value* amount = instruction.getOperand(1);
  const llvm::APInt* constant = nullptr;
  if (auto* integer = llvm::dyn_cast<llvm::ConstantInt>(amount)) constant = &integer->getValue();
  if (constant && constant->ult(width)) return;
  llvm::IRBuilder<> builder(&instruction);
  instruction.setOperand(1, builder.CreateAnd(amount, llvm::ConstantInt::get(amount->getType(), width - 1)));
}

// True when `call` is an intrinsic that carries a promise only, or a question whose answer depends on how far an
// optimiser looks; it has then been answered and may be erased.
bool resolve_intrinsic(llvm::IntrinsicInst& call, const llvm::DataLayout& layout) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
      return true;
    case llvm::Intrinsic::invariant_start:
      call.replaceAllUsesWith(llvm::PoisonValue::get(call.getType()));
      return true;
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::ssa_copy:
      call.replaceAllUsesWith(call.getArgOperand(0));
      return true;
    case llvm::Intrinsic::is_constant:
      call.replaceAllUsesWith(
          llvm::ConstantInt::getBool(call.getType(), llvm::isa<llvm::Constant>(call.getArgOperand(0))));
      return true;
    case llvm::Intrinsic::objectsize:
      call.replaceAllUsesWith(llvm::lowerObjectSizeCall(&call, layout, nullptr, true));
      return true;
    default:
      return false;
  }
}

// Reaching `unreachable` otherwise runs into whatever code follows, which differs between bodies.
void trap_before_unreachable(llvm::Instruction& instruction) {
  if (!llvm::isa<llvm::UnreachableInst>(instruction)) return;
  auto* previous = llvm::dyn_cast_or_null<llvm::CallInst>(instruction.getPrevNonDebugInstruction());
  if (previous && (previous->doesNotReturn() || previous->isMustTailCall())) return;
  llvm::IRBuilder<> builder(&instruction);
  llvm::CallInst* trap = builder.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  trap->setMetadata(metadata::kInternal, llvm::MDNode::get(instruction.getContext(), {}));
}

void normalise_function(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  mark_clean_up_branches(function);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic && resolve_intrinsic(*intrinsic, layout)) {
      intrinsic->eraseFromParent();
      continue;
    }
    drop_promises(instruction);
    fix_undefined_operands(instruction, layout);
    fix_shift_amount(instruction);
    trap_before_unreachable(instruction);
  }
}

// An inline body is a copy of a function defined elsewhere, which an optimiser may use or not. Calls use the copy,
// under a name of its own; whoever takes the address gets the one definition.
void make_internal(llvm::Function& function) {
  const std::string name = function.getName().str();
  function.setName(name + ".inline");
  function.setComdat(nullptr);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  function.setDSOLocal(true);
  llvm::SmallVector<llvm::Use*, 8> addresses;
  for (llvm::Use& use : function.uses()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    if (!call || !call->isCallee(&use)) addresses.push_back(&use);
  }
  if (addresses.empty()) return;
  llvm::Function* definition = llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                                      function.getAddressSpace(), name, function.getParent());
  definition->copyAttributesFrom(&function);
  definition->setPersonalityFn(nullptr);
  definition->setDSOLocal(false);
  function.replaceUsesWithIf(definition, [](llvm::Use& use) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    return !call || !call->isCallee(&use);
  });
}

/// The C library's headers have bodies of these for the optimiser, which reach into a stream's buffer. Called, they are
/// functions of which is known what they read and put out.
bool is_of_stream(llvm::StringRef name) {
  constexpr llvm::StringLiteral kNames[] = {"fgetc_unlocked", "fputc_unlocked",   "getc_unlocked",
                                            "putc_unlocked",  "getchar_unlocked", "putchar_unlocked"};
  return llvm::is_contained(kNames, name);
}

void resolve_available_externally(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.hasAvailableExternallyLinkage()) continue;
    if (is_of_stream(function.getName())) {
      function.deleteBody();
      function.setComdat(nullptr);
    } else {
      make_internal(function);
    }
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.hasAvailableExternallyLinkage()) continue;
    variable.setInitializer(nullptr);
    variable.setComdat(nullptr);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

}  // namespace

void normalise(llvm::Module& module) {
  resolve_available_externally(module);
  normalise_attributes(module);
  for (llvm::Function& function : module) normalise_function(function);
}

}  // namespace culprit
