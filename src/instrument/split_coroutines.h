// Coroutines taken apart into ordinary functions, so that later passes need not know of them.
#pragma once

#include <vector>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace culprit {

/// Runs LLVM's coroutine lowering without its optimisations (the allocation of a coroutine's frame is never elided, so
/// every body allocates alike). Returns the coroutines that LLVM left whole; they must keep a single body.
std::vector<llvm::Function*> split_coroutines(llvm::Module& module);

}  // namespace culprit
