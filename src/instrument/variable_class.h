// Which variables' addresses the program can see.
#pragma once

namespace llvm {
class AllocaInst;
}

namespace culprit {

/// True when every use of the variable is an access at a constant place inside it, so that nothing can see its address
/// and SROA takes it apart into registers. Such a variable is private; any other lives on the user stack.
bool is_private(const llvm::AllocaInst& variable);

/// Bytes that a variable with a fixed size occupies.
unsigned long fixed_bytes(const llvm::AllocaInst& variable);

}  // namespace culprit
