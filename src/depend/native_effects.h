// What a call to native code did to definitions, by the table of external functions.
#pragma once

#include <string_view>
#include <vector>

#include "depend/definitions.h"
#include "trace/control_stream.h"

namespace culprit::depend {

/// Defines what the call wrote; adds the nodes that defined what it read to `sources`. False, and nothing done, when
/// the table does not describe the function.
bool apply_external_call(std::string_view function, const trace::ReturnedCall& returned, Node call,
                         Definitions& definitions, std::vector<Node>& sources);

}  // namespace culprit::depend
