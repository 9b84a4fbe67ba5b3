// What the optimiser may know of a trace's own memory: the writer's position and the latest address of each site are
// touched by nothing of the program's. Events themselves stay in order with the program's accesses: after a crash the
// last event has to be that of the access which crashed.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

namespace culprit {

enum class TraceScope : unsigned { kPosition, kSites, kEvents };

class TraceScopes {
 public:
  explicit TraceScopes(llvm::LLVMContext& context);

  void mark(llvm::Instruction& access, TraceScope scope) const;
  /// Of all loads and stores that are not marked.
  void separate(llvm::Function& body) const;

 private:
  llvm::MDNode* only_[3];
  llvm::MDNode* both_;  ///< without events
};

/// Whether a store writes an event, or a part of one.
bool is_event(const llvm::StoreInst& store);

}  // namespace culprit
