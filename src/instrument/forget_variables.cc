#include "instrument/forget_variables.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace culprit {

void forget_local_variables(llvm::Module& fast_half) {
  std::vector<llvm::Instruction*> intrinsics;
  for (llvm::Function& function : fast_half) {
    if (llvm::DISubprogram* described = function.getSubprogram()) {
      described->replaceRetainedNodes(llvm::MDTuple::get(fast_half.getContext(), {}));
    }
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) {
        instruction.dropDbgRecords();
        if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) intrinsics.push_back(&instruction);
      }
    }
  }
  for (llvm::Instruction* intrinsic : intrinsics) intrinsic->eraseFromParent();
}

}  // namespace culprit
