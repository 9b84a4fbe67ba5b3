// Access to the members of the thread's state (format/runtime_abi.h) from instrumented code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llvm {
class Constant;
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

/// The same as a constant, which folds into each access: it never occupies a register.
llvm::Constant* thread_state_address(llvm::Module& module, size_t offset);

/// Adds `amount` to the 64-bit counter at `offset`; returns the new value.
llvm::Value* add_to_thread_state(llvm::IRBuilderBase& builder, size_t offset, int64_t amount);

}  // namespace culprit
