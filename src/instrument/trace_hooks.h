// What observed bodies write for a trace (format/trace_format.h).
#pragma once

#include <llvm/IR/Module.h>

#include "instrument/bodies.h"

namespace culprit {

/// Makes every observed body write which edges it takes, the addresses that its accesses record, and how control comes
/// back into it. Runs before optimisation, on stamped bodies (model_ids.h).
void insert_trace_hooks(llvm::Module& observed_half);

/// Makes thunks, and functions with a single body, enter observed bodies by a function that tells the trace of it.
void insert_trace_entries(llvm::Module& program, llvm::Module& observed_half, FastBodies& bodies);

/// The symbols by which the runtime learns how many sites there are and where the model's anchors lie.
void define_trace_tables(llvm::Module& program, const llvm::Module& observed_half,
                         const std::vector<std::string>& anchors);

}  // namespace culprit
