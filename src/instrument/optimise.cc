#include "instrument/optimise.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "base/error.h"
#include "instrument/analyses.h"
#include "instrument/forward_past_events.h"
#include "instrument/lower_indirect_branches.h"
#include "instrument/normalise.h"
#include "instrument/point_changes.h"

namespace culprit {
namespace {

/// Of instrumented code, which our own passes made.
void verify(const llvm::Module& module) {
  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  CULPRIT_ASSERT(!llvm::verifyModule(module, &stream), complaint);
}

struct JoinPointChanges : llvm::PassInfoMixin<JoinPointChanges> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    join_point_changes(function);
    llvm::PreservedAnalyses preserved;
    preserved.preserveSet<llvm::CFGAnalyses>();
    return preserved;
  }
};

struct ForwardPastEvents : llvm::PassInfoMixin<ForwardPastEvents> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const bool changed = forward_past_events(function, analyses.getResult<llvm::AAManager>(function));
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

llvm::TargetLibraryInfoImpl known_library(const llvm::TargetMachine& machine) {
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  disable_visible_builtins(library);
  return library;
}

void set_options(llvm::TargetMachine& machine) {
  machine.Options.FunctionSections = true;
  // Where a program runs into code that cannot be reached it must not fall into another function, which would be a
  // different one in each half.
  machine.Options.TrapUnreachable = true;
  machine.Options.NoTrapAfterNoreturn = true;
}

}  // namespace

void run_o2_pipeline(llvm::Module& module, llvm::TargetMachine& machine, const llvm::TargetLibraryInfoImpl& library,
                     Neighbours neighbours) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = neighbours == Neighbours::kJoined;
  llvm::PassBuilder builder(&machine, tuning);
  Analyses analyses;
  analyses.functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  analyses.connect(builder);
  // Inlined callees that come to no call on a way leave nothing on it that optimisers have to mind.
  builder.registerScalarOptimizerLateEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(JoinPointChanges()); });
  builder.registerPeepholeEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(ForwardPastEvents()); });
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, analyses.modules);
}

void optimise_instrumented(llvm::Module& module, llvm::TargetMachine& machine, Neighbours neighbours) {
  if (neighbours == Neighbours::kJoined) jump_by_label_tables(module);
  verify(module);
  run_o2_pipeline(module, machine, known_library(machine), neighbours);
  set_options(machine);
}

void simplify_instrumented(llvm::Module& module, llvm::TargetMachine& machine) {
  verify(module);
  llvm::PassBuilder builder(&machine);
  Analyses analyses;
  const llvm::TargetLibraryInfoImpl library = known_library(machine);
  analyses.functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  analyses.connect(builder);
  llvm::FunctionPassManager functions;
  functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  functions.addPass(llvm::EarlyCSEPass());
  functions.addPass(llvm::SimplifyCFGPass());
  functions.addPass(llvm::InstCombinePass());
  functions.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, analyses.modules);
  set_options(machine);
}

}  // namespace culprit
