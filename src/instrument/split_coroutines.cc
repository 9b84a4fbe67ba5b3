#include "instrument/split_coroutines.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>

namespace culprit {

std::vector<llvm::Function*> split_coroutines(llvm::Module& module) {
  const bool any = llvm::any_of(module, [](const llvm::Function& f) { return f.isPresplitCoroutine(); });
  if (!any) return {};

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes;
  passes.addPass(llvm::CoroEarlyPass());
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(/*OptimizeFrame=*/false)));
  passes.addPass(llvm::CoroCleanupPass());
  passes.run(module, modules);

  std::vector<llvm::Function*> left;
  for (llvm::Function& function : module) {
    if (function.isPresplitCoroutine()) left.push_back(&function);
  }
  return left;
}

}  // namespace culprit
