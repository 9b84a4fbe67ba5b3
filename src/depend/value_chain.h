// Value propagation chains (ED §3.1): how a value came here by copies only, from the statement that made it.
#pragma once

#include <span>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit::depend {

/// From the criterion back: loads, stores, parameters, returns and copies of memory; the last is the operation that
/// generated the value (a computation, a call of the library, the store of a constant). Where bytes of several origins
/// make up a value, the latest is followed.
std::vector<Node> value_chain(const DependenceGraph& graph, Node criterion);

/// The same for a byte of an output; `made_by` is DependenceGraph::output_parts. It begins with the call that put the
/// byte out.
std::vector<Node> value_chain_of_output(const DependenceGraph& graph, std::span<const NodeNumber> made_by);

}  // namespace culprit::depend
