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
  size_t private_slots = 0;
  size_t functions_with_user_frame = 0;
};

/// Moves every variable whose address the program can see to the user stack and marks the others with their private
/// slot (metadata.h). In a function that calls setjmp or its like every variable goes to the user stack, since a second
/// return must find the values of the first in all bodies. Arguments passed by value in memory are copied into
/// variables first; private variables start with a fixed pattern.
///
/// Left as they are: native functions (native_functions.h), coroutines that could not be split, and variables that a
/// calling convention pins (inalloca, swifterror).
PlacedVariables place_variables(llvm::Module& module);

/// In a body with homes: moves the private variables to their slots on the private stack.
void lower_private_homes(llvm::Function& body);

}  // namespace culprit
