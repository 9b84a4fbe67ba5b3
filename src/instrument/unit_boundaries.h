// The user's translation units as the inliner sees them.
#pragma once

#include <llvm/IR/Module.h>

namespace culprit {

/// Forbids inlining of large functions into other translation units, where the user's own build could not have inlined
/// them either. Without this, whole-program inlining made optimising Lua 1.6x as dear as unit by unit. Small functions
/// stay free to go anywhere. Runs while functions still have their own linkage; returns the number of calls.
size_t keep_unit_boundaries(llvm::Module& program);

}  // namespace culprit
