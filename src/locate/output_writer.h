// Who decided to put out a wrong text: functions that hand on what they were given, without looking at it, did not.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "depend/dependence_graph.h"

namespace culprit {

/// The call that put a byte out, or one that was active then, where the text was made or chosen. `made_by`: as of
/// DependenceGraph::output_at, not empty. `entered`: the first execution of an activation.
depend::Node writer_of_output(const depend::DependenceGraph& graph, std::span<const depend::Node> made_by,
                          const std::function<depend::Execution(uint32_t frame)>& entered);

/// The call that put out a text of which nobody knows the bytes, or that of the outermost of the functions around it
/// that only format what they are given.
depend::Node formatted_for(const depend::DependenceGraph& graph, depend::Node call);

}  // namespace culprit
