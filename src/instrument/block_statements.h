// The statements of a block.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "format/model_format.h"

namespace culprit {

struct BlockStatement {
  format::StatementKind kind;
  uint8_t flags = 0;                 ///< format::StatementFlags
  const llvm::DILocation* position;  ///< null when the compiler gave none
  llvm::Instruction* root;           ///< what it does: the last call, write or jump
  std::vector<llvm::Instruction*> instructions;
};

/// In order of execution. Every instruction that has a meaning in the source is in exactly one statement.
std::vector<BlockStatement> block_statements(llvm::BasicBlock& block);

/// Whether an instruction has no effect of the program's own (debug records, lifetimes, allocas, what passes added).
bool is_silent(const llvm::Instruction& instruction);

}  // namespace culprit
