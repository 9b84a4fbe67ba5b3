// One thread of the program runs at a time while recording: the one that holds the baton. It is given up only on entry
// to the runtime, before a call that may block, so that the order of events in the log is the whole schedule.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Gives the baton to the thread that has waited longest, if any.
void release_baton();

/// A new thread, whose turn then does not depend on when the kernel starts it: it begins with wait_for_baton.
void make_ready(Thread& thread);

/// Waits until this thread holds the baton.
void acquire_baton(Thread& thread);

/// Lets those that are ready run before this thread goes on (under chaos: those of a higher priority).
void yield_baton(Thread& thread);

/// The same whatever the priorities: the thread can do nothing before others have run.
void hand_baton_on(Thread& thread);

/// Waits until this thread, which is ready, has the baton; asks about a holder that makes no entry (spin.h).
void wait_for_baton(Thread& thread);

/// Whether no thread waits for the baton.
bool nobody_is_ready();

/// Who has the baton; nullptr: all wait.
Thread* baton_holder();

/// Only this thread exists, at the start and in a child process.
void reset_baton(Thread& thread);

// Waits inside the runtime: prepare_wait, release_baton, sleep_until_go. Another thread, which holds the baton, may
// wake the thread: it then gets the baton when its turn comes. One that gives up waiting takes the baton back.

void prepare_wait(Thread& thread);

/// False when the thread has given up waiting.
bool wake_waiting(Thread& thread);

/// After a wait that ended without being woken; returns holding the baton. False when it was woken meanwhile.
bool take_back_baton(Thread& thread);

/// Sleeps until thread.go is set, a signal arrives or the time is over. `timeout` as FUTEX_WAIT_BITSET takes it,
/// on the clock that `realtime` says; nullptr: none. 0, -EINTR, -ETIMEDOUT.
long sleep_until_go(Thread& thread, const __kernel_timespec* timeout, bool realtime, bool interruptible);

}  // namespace culprit::loader
