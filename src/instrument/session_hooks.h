// What a session needs in observed bodies with homes (format/session_abi.h).
#pragma once

#include <llvm/IR/Module.h>

namespace culprit {

/// Gives every observed body a frame record in the thread's chain, marks each statement before it begins (a barrier:
/// all homes are current there), and counts conditional branches so that an instance can be found and switched.
/// Runs after private homes are lowered and the model's ids are stamped. With `alterable` single executions of
/// statements can be altered (alterable_operations.h), which takes twice the code.
void insert_session_hooks(llvm::Module& observed_half, bool alterable);

}  // namespace culprit
