#include "instrument/flow_of_function.h"

#include <llvm/IR/CFG.h>

namespace culprit {

FunctionFlow flow_of(llvm::Function& function) {
  FunctionFlow flow;
  for (llvm::BasicBlock& block : function) {
    flow.number[&block] = static_cast<uint32_t>(flow.blocks.size());
    flow.blocks.push_back(&block);
  }
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (llvm::BasicBlock* block : flow.blocks) {
    for (llvm::BasicBlock* next : llvm::successors(block)) edges.emplace_back(flow.number[block], flow.number[next]);
  }
  flow.graph = program::make_graph(static_cast<uint32_t>(flow.blocks.size()), edges);
  return flow;
}

}  // namespace culprit
