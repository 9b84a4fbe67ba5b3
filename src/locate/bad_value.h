// Which value it was that a failing statement could not use.
#pragma once

#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

/// The value that the failing statement could not use or used to a wrong end: what it gave to the library in memory, the
/// pointer through which it accesses memory or calls, else what its last operation works with. Of several pointers the
/// first that its activation did not access memory through before: where that went well, the pointer is good.
/// `statement`: its operations in the execution that failed. kNoNode when there is none.
depend::Node bad_value(const depend::DependenceGraph& graph, const std::vector<depend::Node>& statement);

}  // namespace culprit
