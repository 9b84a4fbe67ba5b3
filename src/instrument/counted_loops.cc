#include "instrument/counted_loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "instrument/analyses.h"
#include "instrument/edges.h"
#include "instrument/invariant_loads.h"
#include "instrument/native_functions.h"

namespace culprit {
namespace {

/// A nest of counted loops is left without ticks as long as its inner loops are that short.
constexpr uint64_t kFewIterations = 4096;

bool has_calls(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return true;
    }
  }
  return false;
}

/// Iterations that the loops inside of a counted nest take in all; 0 when that is not known or one of them ticks.
uint64_t bounded_inner_iterations(const llvm::Loop& loop, llvm::ScalarEvolution& evolution,
                                  const llvm::DenseSet<const llvm::Loop*>& counted) {
  uint64_t iterations = 1;
  for (const llvm::Loop* inner : loop.getSubLoops()) {
    const uint64_t trips = evolution.getSmallConstantMaxTripCount(inner);
    if (!counted.contains(inner) || trips == 0 || trips > kFewIterations) return 0;
    iterations += trips * bounded_inner_iterations(*inner, evolution, counted);
    if (iterations > kFewIterations) return 0;
  }
  return iterations;
}

void drop_assumptions(llvm::Module& module) {
  llvm::StripDebugInfo(module);
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::MustProgress);
    function.removeFnAttr(llvm::Attribute::WillReturn);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) {
        instruction.dropPoisonGeneratingFlags();
        instruction.dropUnknownNonDebugMetadata();
      }
    }
  }
}

bool may_have_counted_loops(llvm::Function& function) {
  if (!has_cycles(function)) return false;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  return llvm::any_of(loops.getLoopsInPreorder(), [](const llvm::Loop* loop) { return !has_calls(*loop); });
}

}  // namespace

llvm::DenseSet<const llvm::BasicBlock*> find_counted_loops(llvm::Module& module) {
  llvm::DenseSet<const llvm::GlobalValue*> copied;
  for (llvm::Function& function : module) {
    if (may_have_counted_loops(function)) copied.insert(&function);
  }
  llvm::ValueToValueMapTy copy_of;
  const std::unique_ptr<llvm::Module> scratch = llvm::CloneModule(module, copy_of, [&](const llvm::GlobalValue* value) {
    return copied.contains(value) || llvm::isa<llvm::GlobalVariable>(value);
  });
  settle_guarded_loads(*scratch);
  drop_assumptions(*scratch);
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> original_of;
  for (const llvm::Function& function : module) {
    if (!copied.contains(&function)) continue;
    for (const llvm::BasicBlock& block : function) {
      original_of[llvm::cast<llvm::BasicBlock>(copy_of[&block])] = &block;
    }
  }

  llvm::PassBuilder builder;
  Analyses all;
  all.connect(builder);
  llvm::FunctionAnalysisManager& analyses = all.functions;
  llvm::FunctionPassManager to_registers;
  to_registers.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  to_registers.addPass(llvm::EarlyCSEPass());

  llvm::DenseSet<const llvm::BasicBlock*> headers;
  for (llvm::Function& function : *scratch) {
    if (!is_instrumented(function)) continue;
    to_registers.run(function, analyses);
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (loops.empty()) continue;
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    llvm::DenseSet<const llvm::Loop*> counted;
    const llvm::SmallVector<llvm::Loop*, 4> outer_first = loops.getLoopsInPreorder();
    for (const llvm::Loop* loop : llvm::reverse(outer_first)) {
      const bool ends = !llvm::isa<llvm::SCEVCouldNotCompute>(evolution.getSymbolicMaxBackedgeTakenCount(loop));
      if (!ends || has_calls(*loop)) continue;
      if (bounded_inner_iterations(*loop, evolution, counted) == 0) continue;
      counted.insert(loop);
      headers.insert(original_of.at(loop->getHeader()));
    }
    analyses.clear(function, function.getName());
  }
  return headers;
}

}  // namespace culprit
