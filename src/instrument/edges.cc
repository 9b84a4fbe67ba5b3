#include "instrument/edges.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Instructions.h>

namespace culprit {

bool has_cycles(const llvm::Function& function) {
  if (function.isDeclaration()) return false;
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> retreating;
  llvm::FindFunctionBackedges(function, retreating);
  return !retreating.empty();
}

bool can_split_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  if (to.isEHPad()) return false;
  return !llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(from.getTerminator());
}

llvm::BasicBlock* split_edge(llvm::BasicBlock& from, llvm::BasicBlock& to) {
  llvm::Instruction* terminator = from.getTerminator();
  llvm::BasicBlock* middle =
      llvm::BasicBlock::Create(from.getContext(), "", from.getParent(), to.isEntryBlock() ? nullptr : &to);
  llvm::BranchInst::Create(&to, middle)->setDebugLoc(terminator->getDebugLoc());
  unsigned edges = 0;
  for (unsigned index = 0; index != terminator->getNumSuccessors(); ++index) {
    if (terminator->getSuccessor(index) != &to) continue;
    terminator->setSuccessor(index, middle);
    ++edges;
  }
  for (llvm::PHINode& phi : to.phis()) {
    // One edge takes the place of all.
    for (unsigned extra = 1; extra < edges; ++extra) phi.removeIncomingValue(&from, /*DeletePHIIfEmpty=*/false);
    phi.replaceIncomingBlockWith(&from, middle);
  }
  return middle;
}

}  // namespace culprit
