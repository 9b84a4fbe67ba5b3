// A function's control flow as the graph algorithms of program/ take it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <vector>

#include "program/flow_graph.h"

namespace culprit {

struct FunctionFlow {
  program::FlowGraph graph;
  std::vector<llvm::BasicBlock*> blocks;  ///< by number; 0 is the entry
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> number;
};

FunctionFlow flow_of(llvm::Function& function);

}  // namespace culprit
