// Replays by another plan than the recorded one: its bodies have larger frames on the machine stack, so that what ran
// in order would overflow it, and what overflowed would do so earlier. Such replays have machine stacks of their own
// that are large enough for both. Where the recorded run overflowed is in the log (format::kStackOverflow); a replay
// overflows there at its next tick or system call. What the program does between is a few statements at most, and in
// no recording of a program that dies of it.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Replaying by another plan, whose machine stacks are therefore larger.
bool has_deep_stacks();

/// The first thread's stack, which the recorded run had from `low` on, grows down from there.
void deepen_first_stack(uint64_t low);

/// Where a run is altered: from here on, the first thread's stack is a few times as large as the recorded one.
void limit_first_stack();

/// Stacks that the program maps (MAP_STACK) lie far apart in every run, with kStackMapRoom below each. Where one goes,
/// or 0 when there is no such place.
uint64_t place_of_stack(uint64_t bytes);
bool is_mapped_stack(uint64_t address);
/// It has been mapped: all of it, and what is below it, can be used.
void deepen_mapped_stack(uint64_t low, uint64_t bytes);
/// It is no more.
void end_mapped_stack(uint64_t low, uint64_t bytes);

/// Whether the program has all of [low, high), where a frame of the thread is to be.
bool has_room(const Thread& thread, uint64_t low, uint64_t high);

/// The end of a stack for handlers that the thread has instead of the alternate one that the program gave it.
uint64_t deep_handler_stack(const Thread& thread);
/// The end of that stack when `address` lies on it, else 0.
uint64_t end_of_deep_handler_stack(const Thread& thread, uint64_t address);

/// Recording: whether a fault at `address` means that the machine stack is used up.
bool is_stack_overflow(const Siginfo& siginfo, const Context& context);

/// Of `granted` ticks that the thread gets at `ticks` those before the one at which it overflows.
long ticks_until_overflow(const Thread& thread, uint64_t ticks, long granted);
/// Before the thread goes on in the program: when it is to overflow next, its ticks end there.
void watch_for_overflow(Thread& thread);
/// At a tick or system call: whether the recorded thread has overflowed before it.
bool overflow_is_due(const Thread& thread, bool tick);
/// The recorded fault as this replay has it; `context` becomes what it was at the tick that `call` is, when it is one.
Siginfo overflow_at(Thread& thread, const Call& call, bool tick);

}  // namespace culprit::loader
