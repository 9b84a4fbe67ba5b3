// Gives every local variable its home: the user stack where its address can be seen, a private slot otherwise.
#pragma once

#include <cstddef>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace culprit {

struct PlacedVariables {
  size_t on_user_stack = 0;
  size_t in_registers = 0;  ///< private, registers unless a body gives them homes
  size_t invisible = 0;     ///< private, in memory until functions are inlined
  size_t functions_with_user_frame = 0;
};

/// Moves every variable whose address the program can see (variable_class.h) to the user stack and marks the others
/// with their private slot (metadata.h). In a function that calls setjmp or its like every variable goes to the user
/// stack, since a second return must find the values of the first in all bodies. Arguments passed by value in memory
/// are copied into variables first; private variables start with a fixed pattern.
///
/// Left as they are: native functions (native_functions.h), coroutines that could not be split, and variables that a
/// calling convention pins (inalloca, swifterror).
PlacedVariables place_variables(llvm::Module& module);

enum class PrivateHomes {
  kInMemory,  ///< only variables that are accessed through their address, so that every access has a known place
  kAll,
};

/// In an observed body: moves private variables to their slots on the private stack.
void lower_private_homes(llvm::Function& body, PrivateHomes which);

}  // namespace culprit
