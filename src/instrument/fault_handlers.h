// The program's handlers of faults are entered through the runtime.
#pragma once

namespace llvm {
class Module;
}

namespace culprit {

/// Lets the runtime stand between the program and sigaction and signal (runtime/fault_handlers.h): only it knows that a
/// fault means an overflow of one of its stacks.
void redirect_fault_handlers(llvm::Module& module);

}  // namespace culprit
