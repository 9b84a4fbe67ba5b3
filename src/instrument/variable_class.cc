#include "instrument/variable_class.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include "instrument/pointer_uses.h"

namespace culprit {
namespace {

// A private variable starts with a pattern, which for a large one costs more than the user stack does.
constexpr uint64_t kLargestInvisible = 256;

}  // namespace

uint64_t fixed_bytes(const llvm::AllocaInst& variable) {
  return variable.getAllocationSize(variable.getDataLayout())->getFixedValue();
}

VariableClass classify(const llvm::AllocaInst& variable, const PointerUses& uses) {
  if (!variable.isStaticAlloca()) return VariableClass::kVisible;
  const PointerUse use = uses.of(variable);
  const uint64_t bytes = fixed_bytes(variable);
  const bool inside = use.low >= 0 && static_cast<uint64_t>(use.high) <= bytes;
  if (!use.contained || use.returned || !inside) return VariableClass::kVisible;
  if (!use.passed) return VariableClass::kRegister;
  return bytes <= kLargestInvisible ? VariableClass::kInvisible : VariableClass::kVisible;
}

}  // namespace culprit
