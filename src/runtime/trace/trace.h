// The program's side of a trace (format/trace_format.h): buffers, and events that need more than a few instructions.
#pragma once

#include "format/runtime_abi.h"

namespace culprit::runtime {

/// Gives a new thread its buffer. Without CULPRIT_TRACE what it writes is thrown away.
void trace_thread(format::ThreadState& thread);

}  // namespace culprit::runtime
