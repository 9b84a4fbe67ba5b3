#include "instrument/split_coroutines.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>

#include "instrument/analyses.h"

namespace culprit {

std::vector<llvm::Function*> split_coroutines(llvm::Module& module) {
  const bool any = llvm::any_of(module, [](const llvm::Function& f) { return f.isPresplitCoroutine(); });
  if (!any) return {};

  llvm::PassBuilder builder;
  Analyses analyses;
  analyses.connect(builder);

  llvm::ModulePassManager passes;
  passes.addPass(llvm::CoroEarlyPass());
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(/*OptimizeFrame=*/false)));
  passes.addPass(llvm::CoroCleanupPass());
  passes.run(module, analyses.modules);

  std::vector<llvm::Function*> left;
  for (llvm::Function& function : module) {
    if (function.isPresplitCoroutine()) left.push_back(&function);
  }
  return left;
}

}  // namespace culprit
