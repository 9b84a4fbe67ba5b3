// The software clock of captured programs: quanta while recording, the same quanta on replay.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// A tick asks for more (format/tick_call.h): other threads run first, if any are ready. Logs the tick or compares it.
long tick_call(Call& call);

/// The thread has made another one: under chaos, what it has left of its quantum is drawn anew, when it was alone
/// before and had been given a long one. Logged, and done again on replay.
void set_quantum(Thread& thread);

/// Ticks that the thread has passed; 0 when it has not ticked yet.
uint64_t ticks_of(const Thread& thread);

/// Of the calling thread, in nanoseconds.
uint64_t processor_time();

// A handler that is entered inside the slow path of a tick, whose saved registers a further slow path would overwrite,
// gets so many ticks that it does not meet one.
void enter_handler_in_tick(Thread& thread, uint64_t frame);
void leave_handler_in_tick(Thread& thread, uint64_t frame);
/// At a call: whether such a handler was left by a jump (siglongjmp), so that ticks meet slow paths again. Seen on the
/// machine stack of the main thread only: a handler that waits in a context of its own, for others to go on, has not
/// been left.
void notice_jump_out_of_tick(Thread& thread, uint64_t stack_pointer);

/// Recording: ends when a thread has passed so many ticks, given as THREAD:TICKS; anything else means never. Programs
/// started by execve have no such end.
void set_region_end(const char* words);

}  // namespace culprit::loader
