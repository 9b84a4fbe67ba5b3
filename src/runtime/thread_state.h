// The state of the calling thread.
#pragma once

#include "format/runtime_abi.h"

extern "C" {
/// All zero in a new thread (format/runtime_abi.h).
extern thread_local culprit::format::ThreadState culprit_thread __attribute__((tls_model("local-exec")));
/// What the plan wants threads to start with.
extern uint8_t culprit_initial_observe __attribute__((visibility("hidden")));
}
