// Functions that keep their own symbol and are compiled as they are: no ticks, no second body, no user stack.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace culprit {

/// Function attribute; its value is the reason.
inline constexpr const char* kNativeAttribute = "culprit-native";

/// Function attribute: the function cannot be compiled twice; its value is the reason.
inline constexpr const char* kSingleBodyAttribute = "culprit-single-body";

/// A function that is treated apart, with the reason in words for the user.
struct FunctionReason {
  std::string function;
  std::string reason;
};

/// True when passes must leave the function alone.
bool stays_native(const llvm::Function& function);

/// True for a definition that gets bodies, ticks and a thunk.
bool is_instrumented(const llvm::Function& function);

/// Marks naked functions, and gives ifunc resolvers native copies of themselves and of everything that they call
/// directly: the dynamic linker runs them before thread-local storage is ready. Runs before any other step adds code.
std::vector<FunctionReason> set_apart_native_functions(llvm::Module& module);

}  // namespace culprit
