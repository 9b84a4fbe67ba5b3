// Control-flow edges that get code of their own.
#pragma once

#include <llvm/IR/BasicBlock.h>

namespace culprit {

/// Whether anything in the function can repeat, be it a natural loop or not.
bool has_cycles(const llvm::Function& function);

/// False for edges into landing pads and for edges out of indirect branches.
bool can_split_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

/// A new block between the two, on all edges from the one to the other.
llvm::BasicBlock* split_edge(llvm::BasicBlock& from, llvm::BasicBlock& to);

}  // namespace culprit
