#include "instrument/model_ids.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

namespace culprit {

uint64_t number_in(const llvm::MDNode& node, unsigned operand) {
  return llvm::mdconst::extract<llvm::ConstantInt>(node.getOperand(operand))->getZExtValue();
}

std::optional<uint32_t> number_in(const llvm::Instruction& instruction, const char* kind, unsigned operand) {
  const llvm::MDNode* node = instruction.getMetadata(kind);
  if (!node) return std::nullopt;
  return static_cast<uint32_t>(number_in(*node, operand));
}

std::optional<uint32_t> entry_block_number(const llvm::Function& function) {
  std::optional<uint32_t> first;
  for (const llvm::BasicBlock& block : function) {
    const std::optional<uint32_t> number = number_in(*block.getTerminator(), metadata::kBlock);
    if (number && (!first || *number < *first)) first = number;
  }
  return first;
}

}  // namespace culprit
