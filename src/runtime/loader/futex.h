// futex while recording: waiting and waking happen here, under the baton, so that they are ordered with everything
// else.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Whether the futex is among the program's own threads; others (in memory shared with processes) are the kernel's.
bool futex_is_own(const Call& call);

/// Runs the call; the caller holds the baton before and after, or the run is altered. PI operations are answered with ENOSYS.
long futex_call(Call& call);

/// Wakes up to `count` threads that wait at `address`.
long wake_waiters(uint64_t address, uint32_t count, uint32_t bits);

/// Called before the baton is given up: when every thread waits for another one and nobody is left to wake any, says
/// who waits for whom, in the recording and on standard error. Under chaos the run then ends as by SIGABRT.
void look_for_deadlock();

/// Forgets all waiters (a child process has one thread).
void reset_waiters();

}  // namespace culprit::loader
