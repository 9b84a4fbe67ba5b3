// Optimisation of an instrumented half.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>

namespace culprit {

/// Whether operations on neighbouring values may become one vector operation.
enum class Neighbours : uint8_t { kApart, kJoined };

/// The optimisation pipeline of -O2 on a whole module, with this knowledge of library functions.
void run_o2_pipeline(llvm::Module& module, llvm::TargetMachine& machine, const llvm::TargetLibraryInfoImpl& library,
                     Neighbours neighbours = Neighbours::kJoined);

/// Verifies the module, then runs the -O2 pipeline without knowledge of what allocation functions return or do, by
/// which bodies could come to differ (a read after free would see the stored value in one body and the allocator's in
/// another). Also sets the options of `machine` for the code generation that follows.
///
/// In observed bodies neighbours stay apart: counters that are next to each other would be counted two at a time in one
/// block and one at a time in the next, and each such change stalls the processor, which waits for the store to reach
/// memory (measured: half of the time of gawk's interpreter).
void optimise_instrumented(llvm::Module& module, llvm::TargetMachine& machine, Neighbours neighbours);

/// The same for observed bodies that are to be built quickly: variables become registers, and what is computed twice or
/// never used goes, within functions only. For code generation without optimisation.
void simplify_instrumented(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace culprit
