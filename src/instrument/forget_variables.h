// Debug information of bodies that nobody looks into.
#pragma once

#include <llvm/IR/Module.h>

namespace culprit {

/// Leaves line numbers and functions, and drops what describes local variables: beside observed bodies, fast ones are
/// stopped in only by accident, and describing their variables takes a third of code generation (measured on Lua).
void forget_local_variables(llvm::Module& fast_half);

}  // namespace culprit
