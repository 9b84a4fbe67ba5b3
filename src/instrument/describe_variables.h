// Debug information that stays true at -O2 for variables on our own stacks.
#pragma once

namespace llvm {
class Function;
}

namespace culprit {

/// Lets a debugger find the variables of `body` that live on the user or the private stack, wherever it stops: each
/// frame's base is kept in a variable on the machine's stack, and the variables are described from there. For observed
/// bodies; it costs a store at entry. Described by the base itself they would be lost as soon as a register is reused
/// (measured: "optimized out" everywhere at -O1 and above).
void describe_variables(llvm::Function& body);

}  // namespace culprit
