// Functions that run before the program's threads are ready.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace culprit {

/// Resolvers of ifuncs and what they call: the dynamic linker runs them before thread-local storage exists. They stay
/// without ticks, bodies and user stack.
llvm::SmallPtrSet<llvm::Function*, 16> early_functions(llvm::Module& module);

}  // namespace culprit
