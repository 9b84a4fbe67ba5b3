// What a call to native code did to definitions, by the table of external functions.
#pragma once

#include <string_view>
#include <vector>

#include "depend/definitions.h"
#include "depend/dependence_graph.h"
#include "program/constant_memory.h"
#include "trace/control_stream.h"

namespace culprit::depend {

/// Defines what the call wrote; adds the nodes that defined what it read to `sources`. False, and nothing done, when
/// the table does not describe the function. `constants`: the program's, for formats; null when its file is gone.
bool apply_external_call(std::string_view function, const trace::ReturnedCall& returned, Node call,
                         const DependenceGraph& graph, const program::ConstantMemory* constants,
                         Definitions& definitions, std::vector<Node>& sources);

}  // namespace culprit::depend
