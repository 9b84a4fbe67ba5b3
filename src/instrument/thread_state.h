// Access to the members of the thread's state (format/runtime_abi.h) from instrumented code.
#pragma once

#include <cstddef>

namespace llvm {
class GlobalVariable;
class IRBuilderBase;
class Module;
class Value;
}  // namespace llvm

namespace culprit {

/// The declaration of `culprit_thread`, made on first use.
llvm::GlobalVariable* thread_state(llvm::Module& module);

/// The address of the member at `offset` bytes in the current thread's state.
llvm::Value* thread_state_member(llvm::IRBuilderBase& builder, size_t offset);

}  // namespace culprit
