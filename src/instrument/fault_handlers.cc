#include "instrument/fault_handlers.h"

#include <llvm/IR/Module.h>

#include "format/runtime_abi.h"

namespace culprit {

void redirect_fault_handlers(llvm::Module& module) {
  const struct {
    const char* library;
    const char* runtime;
  } replacements[] = {{"sigaction", format::kSetActionSymbol}, {"signal", format::kSetHandlerSymbol}};
  for (const auto& [library, runtime] : replacements) {
    llvm::Function* function = module.getFunction(library);
    if (!function || !function->isDeclaration()) continue;
    function->replaceAllUsesWith(module.getOrInsertFunction(runtime, function->getFunctionType()).getCallee());
  }
}

}  // namespace culprit
