// Totals of ticks and of the counting hooks, written when the program exits.
#pragma once

#include "format/runtime_abi.h"

namespace culprit::runtime {

/// Makes a thread that starts part of the totals, when they are wanted. Called on the thread itself.
void count_thread(format::ThreadState& thread);

}  // namespace culprit::runtime
