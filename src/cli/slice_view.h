// A slice as the HTML page takes it.
#pragma once

#include <string>
#include <vector>

#include "depend/slice.h"
#include "locate/run_values.h"
#include "report/slice_page.h"

namespace culprit::cli {

/// Of a large slice only the part that is nearest in time to the criterion. Statements without a source line are left
/// out. `values`: of the slice's executions, where the trace has them, else null.
report::SliceView slice_view(const depend::DependenceGraph& graph, const depend::Slice& slice,
                             const std::vector<depend::Node>& criterion, const depend::SliceOptions& options,
                             bool forward, const std::string& command, const RunValues* values);

/// Which executions a slice has a part in, for RunValues.
std::vector<bool> executions_of(const depend::DependenceGraph& graph, const depend::Slice& slice);

}  // namespace culprit::cli
