// Which value it was that a failing statement could not use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depend/dependence_graph.h"
#include "trace/trace_file.h"

namespace culprit {

/// The value that the failing statement could not use or used to a wrong end: what it gave to the library in memory,
/// the pointer through which it accesses memory or calls, else what its last operation works with. Of several pointers
/// the first that its activation did not access memory through before: where that went well, the pointer is good, and
/// the index by which it left the object is not.
/// `statement`: its operations in the execution that failed. `puts_out`: what it called put out the wrong text, so the
/// pointer to that function is good. kNoNode when there is none.
depend::Node bad_value(const depend::DependenceGraph& graph, const std::vector<depend::Node>& statement, bool puts_out);

/// What the last integer division of the statement divided by; kNoNode when it divides by a constant or not at all.
depend::Node divisor(const depend::DependenceGraph& graph, const std::vector<depend::Node>& statement);

/// A number of bytes to copy or fill that is negative: the value, and what it says.
struct NegativeLength {
  depend::Node value;
  int64_t bytes;
};

/// That of the failing statement, as bad_value's, in its last execution; nothing when it gives none.
std::optional<NegativeLength> negative_length(const depend::DependenceGraph& graph, const trace::TraceFile& trace,
                                              const std::vector<depend::Node>& statement);

/// Of a call that puts out so many bytes of memory as they are: what made that number; kNoNode when the call is no
/// such, or the number a constant.
depend::Node length_of_output(const depend::DependenceGraph& graph, depend::Node call);

}  // namespace culprit
