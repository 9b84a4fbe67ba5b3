// The program's side of a trace (format/trace_format.h): buffers, and events that need more than a few instructions.
#pragma once

#include "format/runtime_abi.h"

namespace culprit::runtime {

/// Gives a new thread its buffer. Without CULPRIT_TRACE what it writes is thrown away.
void trace_thread(format::ThreadState& thread);

/// Where a thread writes its events.
struct TracePlace {
  char* position;
  char* limit;
  uint64_t* previous;
};

/// What the thread executes from here on is not told. For a handler of a fault: it is entered in the middle of a stretch
/// of which only the code itself, in its registers, knows how far the events have come. A handler that does not return
/// ends the thread's trace at the fault.
TracePlace leave_trace(format::ThreadState& thread);
void return_to_trace(format::ThreadState& thread, const TracePlace& left);

}  // namespace culprit::runtime
