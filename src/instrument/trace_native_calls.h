// Hooks that tell a trace of calls to native code: arguments, result, lengths of strings.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <initializer_list>

namespace culprit {

/// The bits of a number or pointer, floating-point numbers as doubles; 0 for what is neither.
llvm::Value* word_of(llvm::IRBuilderBase& builder, llvm::Value* value);

/// Calls a function of the runtime that does not throw.
llvm::Value* call_runtime(llvm::IRBuilderBase& builder, const char* symbol, llvm::Type* result,
                          std::initializer_list<llvm::Value*> arguments);

class NativeCallHooks {
 public:
  explicit NativeCallHooks(llvm::Function& body) : body_(body) {}

  /// `builder` stands where control is after `call`.
  void write_return(llvm::IRBuilderBase& builder, llvm::CallBase& call, uint32_t operation);
  /// Without arguments and result.
  void write_bare_return(llvm::IRBuilderBase& builder, uint32_t operation);

 private:
  void store_arguments(llvm::IRBuilderBase& builder, const llvm::CallBase& call, uint32_t count);

  /// Room for what the arguments in a va_list are.
  llvm::Value* words_of_list();

  llvm::Function& body_;
  llvm::AllocaInst* arguments_ = nullptr;  ///< words, as many as a trace holds
  llvm::AllocaInst* words_ = nullptr;      ///< format::TraceWord
};

}  // namespace culprit
