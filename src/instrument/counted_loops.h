// Which loops end after a number of iterations whose bound is known when they are entered.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Module.h>

namespace culprit {

/// Headers of loops that need no tick: without calls, with a bound on their iterations that scalar evolution can
/// compute at their entry, and either innermost or of few iterations in all. Ticks in them would cost vectorisation
/// (measured 5x), and in those that may end early 4 % of bzip2's time.
///
/// The bodies still hold their variables in memory, so this looks at a copy of the module with variables in registers
/// and the same blocks. Assumptions that C lets a compiler make are left out: a loop that only *must not* be infinite
/// is not counted.
llvm::DenseSet<const llvm::BasicBlock*> find_counted_loops(llvm::Module& module);

}  // namespace culprit
