// Direct calls between instrumented functions: where recursion passes, and which calls cannot reach a tick.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace culprit {

/// The instrumented function that a direct call enters without its thunk; null when the call goes elsewhere, or when
/// the linker may put another function in its place.
llvm::Function* direct_callee(const llvm::CallBase& call);

struct CallGraphOrder {
  /// Every cycle of direct calls passes through one of these (targets of the call graph's back edges).
  llvm::DenseSet<const llvm::Function*> recursion_heads;
  /// Callees before callers, but for recursion.
  std::vector<llvm::Function*> callees_first;
};

/// Depends only on names and calls, not on the order of functions in the module, so that it is the same for every -O.
CallGraphOrder order_call_graph(llvm::Module& module);

}  // namespace culprit
