// What observed bodies write for a trace (format/trace_format.h).
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "format/trace_format.h"
#include "instrument/thunks.h"

namespace culprit {

/// Makes every observed body write which edges it takes, the addresses that its accesses record, and how control comes
/// back into it; or the edges alone. Runs before optimisation, on stamped bodies (model_ids.h).
void insert_trace_hooks(llvm::Module& observed_half, format::TraceContents contents);

/// Whatever enters an observed body by its symbol (thunks, functions with a single body) enters a function instead that
/// tells the trace first. The symbol stays the same, so that the fast half needs not know of traces.
void insert_trace_entries(llvm::Module& observed_half, const std::vector<Thunk>& thunks);

/// The symbols by which the runtime learns how many sites there are and where the model's anchors lie.
void define_trace_tables(llvm::Module& observed_half, const std::vector<std::string>& anchors);

}  // namespace culprit
