// The passes' metadata, once no pass will read it.
#pragma once

#include <llvm/IR/Module.h>

namespace culprit {

/// Removes what the passes left in the module for each other (metadata.h, model_ids.h): nearly every instruction has
/// some, and a module is written and read once more before it is compiled.
void forget_marks(llvm::Module& half);

}  // namespace culprit
