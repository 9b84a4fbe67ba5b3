// What a call to native code did to definitions.
#pragma once

#include <vector>

#include "depend/definitions.h"
#include "program/library_calls.h"
#include "trace/control_stream.h"

namespace culprit::depend {

/// Defines what the call wrote; adds the nodes that defined what it read to `sources`.
void apply_library_call(const program::LibraryCall& known, const trace::ReturnedCall& returned, Node call,
                        Definitions& definitions, std::vector<Node>& sources);

}  // namespace culprit::depend
