// Contexts made by makecontext get stacks of their own.
#pragma once

namespace llvm {
class Module;
}

namespace culprit {

/// Tells the runtime of every context that the program makes (runtime/stacks.h, culprit_context_made). Left alone,
/// contexts that take turns would overwrite each other's frames on one user stack.
void give_contexts_stacks(llvm::Module& module);

}  // namespace culprit
