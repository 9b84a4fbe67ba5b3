// Branches that no source has: where a scope is left by several ways (return, break, goto, exceptions), its clean-up is
// one piece of code that goes on by a number which the compiler stored before, and parts of it are guarded by such
// flags.
#pragma once

#include <llvm/IR/Function.h>

namespace culprit {

/// Marks them (metadata::kCleanUp): conditional branches and switches by a variable that is nothing else, was not
/// declared, and gets constants only.
void mark_clean_up_branches(llvm::Function& function);

}  // namespace culprit
