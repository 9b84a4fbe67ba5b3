// What can be altered in bodies that write a trace, so that the trace of an altered run can be had: what executions of
// statements write and return (format/alteration.h, kReplaceWrite).
#pragma once

#include <llvm/IR/Module.h>

namespace culprit {

/// Runs before the trace's own hooks, which then see the altered values, on stamped bodies (model_ids.h). Not altered
/// is what the reader of a trace foresees: of these writes there are no events.
void insert_alterable_writes(llvm::Module& observed_half);

}  // namespace culprit
