// Optimisation of an instrumented half.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace culprit {

/// The optimisation pipeline of -O2 on a whole module, with this knowledge of library functions.
void run_o2_pipeline(llvm::Module& module, llvm::TargetMachine& machine, const llvm::TargetLibraryInfoImpl& library);

/// The -O2 pipeline without knowledge of what allocation functions return or do, by which bodies could come to differ
/// (a read after free would see the stored value in one body and the allocator's in another). Also sets the options
/// of `machine` for the code generation that follows.
void optimise_instrumented(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace culprit
