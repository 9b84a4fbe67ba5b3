#include "instrument/variable_location.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "instrument/metadata.h"

namespace culprit {
namespace {

using format::HomeKind;

/// The offset that `name`'s metadata gives, if the instruction carries it.
std::optional<int64_t> marked_offset(const llvm::Instruction& instruction, const char* name) {
  const llvm::MDNode* node = instruction.getMetadata(name);
  if (!node || node->getNumOperands() == 0) return std::nullopt;
  const auto* number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(0));
  return number ? std::optional(number->getSExtValue()) : std::nullopt;
}

struct Steps {
  int derefs = 0;  ///< before any offset
  int64_t offset = 0;
  bool plain = true;  ///< nothing else
};

Steps steps_of(const llvm::DIExpression* expression) {
  Steps steps;
  for (const auto& operation : expression->expr_ops()) {
    switch (operation.getOp()) {
      case llvm::dwarf::DW_OP_deref:
        ++steps.derefs;
        break;
      case llvm::dwarf::DW_OP_plus_uconst:
        steps.offset += static_cast<int64_t>(operation.getArg(0));
        break;
      case llvm::dwarf::DW_OP_LLVM_fragment:
        break;
      default:
        steps.plain = false;
    }
  }
  return steps;
}

}  // namespace

VariableLocation variable_location(const llvm::Value* place, const llvm::DIExpression* expression, bool declares) {
  if (!place || llvm::isa<llvm::Constant>(place)) return {};
  const Steps steps = steps_of(expression);
  if (!steps.plain) return {HomeKind::kComputed, 0};
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(place)) {
    return {declares || steps.derefs ? HomeKind::kPointee : HomeKind::kArgument, argument->getArgNo()};
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(place);
  if (!instruction || !declares) return {};
  // A user-stack variable: the address itself, or the frame's base kept in a variable of ours.
  if (const auto offset = marked_offset(*instruction, metadata::kUserHome)) {
    return steps.derefs ? VariableLocation{HomeKind::kComputed, 0}
                        : VariableLocation{HomeKind::kUserStack, *offset + steps.offset};
  }
  const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(instruction);
  if (!alloca) return {HomeKind::kComputed, 0};
  if (alloca->hasMetadata(metadata::kInternal)) {
    return steps.derefs == 1 ? VariableLocation{HomeKind::kUserStack, steps.offset}
                             : VariableLocation{HomeKind::kComputed, 0};
  }
  const auto slot = marked_offset(*alloca, metadata::kPrivateHome);
  if (steps.derefs)
    return slot ? VariableLocation{HomeKind::kIndirect, *slot} : VariableLocation{HomeKind::kComputed, 0};
  if (slot) return {HomeKind::kPrivateSlot, *slot + steps.offset};
  return alloca->isStaticAlloca() ? VariableLocation{HomeKind::kStack, 0} : VariableLocation{HomeKind::kComputed, 0};
}

int64_t global_offset(const llvm::DIExpression* expression) {
  return steps_of(expression).offset;
}

}  // namespace culprit
