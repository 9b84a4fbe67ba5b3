// What a traced body tells of itself at its calls, so that a trace can begin in the middle of a run
// (format::TraceFrame).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <vector>

namespace culprit {

/// Of one body. Calls are marked before they are made, so the chain is right whenever a callee runs. A return undoes
/// it, for native code may call another body next; an exception or a jump need not, since who goes on marks its next
/// call.
class TraceFrames {
 public:
  /// `activation`: its number as in events of landings, or null. `makes_calls`: else the record is filled only where
  /// it is needed.
  TraceFrames(llvm::Function& body, uint32_t entry_block, llvm::Value* activation, bool makes_calls);

  /// Where all bases are known.
  void note_bases(llvm::IRBuilderBase& builder, const std::vector<llvm::Instruction*>& bases);
  void before_call(llvm::IRBuilderBase& builder, llvm::CallBase& call, uint32_t operation);
  void leave(llvm::IRBuilderBase& builder);
  /// In the stead of format::kTraceFullSymbol; `place`: as of format::TraceStart, or format::kNone. Returns the new
  /// position.
  llvm::Value* full(llvm::IRBuilderBase& builder, llvm::Value* position, uint32_t place);

 private:
  llvm::Value* member(llvm::IRBuilderBase& builder, uint64_t offset) const;
  llvm::Value* base(llvm::IRBuilderBase& builder, const llvm::Instruction& of) const;
  void fill(llvm::IRBuilderBase& builder);
  void store_bases(llvm::IRBuilderBase& builder);
  void store_variables(llvm::IRBuilderBase& builder);

  llvm::Module& module_;
  uint32_t entry_block_;
  llvm::Value* activation_;
  bool makes_calls_;
  std::vector<llvm::Instruction*> bases_;
  std::vector<llvm::AllocaInst*> variables_;  ///< that are kept
  llvm::AllocaInst* record_;
};

}  // namespace culprit
