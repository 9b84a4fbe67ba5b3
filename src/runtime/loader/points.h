// Points of a replay at which a session wants to look at the program, and what it asks for there.
#pragma once

#include "format/replay_control.h"
#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// The control of this process; nullptr without a session.
format::ReplayControl* session_control();

/// The report is complete and the process about to end.
void say_ended();

/// Maps the first slot from the launcher's descriptor, which is kept for forks; waits for the first command.
void open_slots(int descriptor);

/// Tells the session where the program is and does what it says, until it says to go on.
void stop_at(format::ReplayPoint point, Thread& thread, uint64_t instruction, int signal = 0, uint64_t address = 0);

/// A crash or an exit, if that is the point asked for.
void stop_before_end(format::ReplayPoint point, Thread& thread, uint64_t instruction, int signal = 0,
                     uint64_t address = 0);

/// A process was started.
void count_process(Thread& thread, uint64_t instruction);

/// A thread has made itself known by its first tick.
void watch_thread(Thread& thread);

/// Ticks that a thread may pass before it must ask again, of those that the log grants.
long ticks_until_point(const Thread& thread, uint64_t ticks, long granted);
/// Whether a tick call that is not in the log is that of the point, where it then stops.
bool is_tick_point(Thread& thread, uint64_t ticks, uint64_t instruction);

/// Whether a trap is that of the watched statement.
bool answer_watched_statement(Thread& thread, Context& context);

/// Answers kBranchCall.
long branch_call(Thread& thread, Context& context);

}  // namespace culprit::loader
