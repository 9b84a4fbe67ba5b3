// The ways into the runtime while the program runs: handlers of the kernel's signals.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

void on_system_call(int number, Siginfo* siginfo, Context* context);
void on_fault(int number, Siginfo* siginfo, Context* context);
void on_async_signal(int number, Siginfo* siginfo, Context* context);

/// Keeps a signal until it can be given to the program (signals.cc).
void queue_signal(Thread& thread, const Siginfo& siginfo, Context& context);

}  // namespace culprit::loader
