// Events of a trace stand in order with the program's own accesses, which must not be moved across them: after a crash
// the last event has to be that of the access which crashed. So to the optimiser an event may have changed what the
// program stored just before. It has not, and to know that moves nothing.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/Function.h>

namespace culprit {

/// Within blocks, loads of what was stored or loaded before get that value. A store under a condition, to where the
/// block with the condition has stored before, becomes a store of either value without a branch, as optimisers do where
/// no events are between (`if (score > best[k]) best[k] = score`). Whether anything was changed.
bool forward_past_events(llvm::Function& body, llvm::AAResults& aliases);

}  // namespace culprit
