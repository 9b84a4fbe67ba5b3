// Threads of a run that a session has altered: the log's schedule does not hold any more, so each goes on until it
// waits for another one, sleeps, or has used up a quantum of ticks; the next that can go on follows. The same
// alteration of the same recording makes the same schedule.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Ticks that a thread passes while others could go on.
inline constexpr uint64_t kAlteredQuantum = 1'000'000;

/// Waits until another thread sets `woken`. False when time had to pass instead: with `has_timeout`, when all threads
/// wait. Ends the run when nobody is left to wake any.
bool wait_in_altered_run(Thread& thread, bool has_timeout);

/// Lets the next thread go on that can; the calling one has its turn when all others had theirs.
void let_others_run(Thread& thread);

/// Never comes back: the thread has ended, others go on.
[[noreturn]] void leave_to_others(Thread& thread);

/// An id that no thread of the program has or had.
int32_t fresh_thread_id();

}  // namespace culprit::loader
