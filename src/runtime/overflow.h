// Stack overflows told from other faults, and reported.
#pragma once

#include <stddef.h>

namespace culprit::runtime {

/// Catches SIGSEGV if the program has no handler for it. An overflow of a user or private stack is reported on standard
/// error with the function that ran into it; then, as for any other fault, the process dies by the signal as it would
/// natively. A handler that the program installs later replaces this one.
void watch_for_overflows();

/// True when `handler` is the one that watch_for_overflows installs.
bool is_overflow_watch(const void* handler);

/// Reports an overflow of a stack of `stack_bytes` and lets the fault, which happens again when the handler returns,
/// kill the process. `context` is the ucontext_t of the fault.
void die_of_overflow(const char* context, size_t stack_bytes);

}  // namespace culprit::runtime
