#include "instrument/unit_boundaries.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>

namespace culprit {
namespace {

constexpr unsigned kSmallFunction = 100;  // instructions before optimisation, of which about a third remain

const llvm::DICompileUnit* unit_of(const llvm::Function& function) {
  const llvm::DISubprogram* described = function.getSubprogram();
  return described ? described->getUnit() : nullptr;
}

/// Inline functions exist in every unit that uses them, statics in one.
bool belongs_to_one_unit(const llvm::Function& function) {
  return !function.isDeclaration() && function.hasExternalLinkage() &&
         function.getInstructionCount() > kSmallFunction && unit_of(function);
}

}  // namespace

size_t keep_unit_boundaries(llvm::Module& program) {
  size_t calls = 0;
  for (llvm::Function& callee : program) {
    if (!belongs_to_one_unit(callee)) continue;
    for (llvm::User* user : callee.users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || call->getCalledFunction() != &callee || unit_of(*call->getFunction()) == unit_of(callee)) continue;
      call->setIsNoInline();
      ++calls;
    }
  }
  return calls;
}

}  // namespace culprit
