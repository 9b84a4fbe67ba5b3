// Threads that wait by spinning in code without ticks or calls, while the thread that they wait for has no baton.
//
// Recording: who has waited for the baton for some time sends the holder a signal. The holder then runs step by step
// until registers, floating point state and all of memory are as they were at an earlier step: such a loop cannot end
// by itself, so it may be left at any of its states, and that state is logged (kSpin) before others run. Nothing is
// done to a thread that does not come back to a state: it computes, or it spins in a way that changes something, which
// the log could not repeat.
//
// A thread may as well wait for its own signal handler. Signals are given at calls; one that arrives while the thread
// runs its own code makes it step a little, and where it proves to spin the signal is given there.
//
// Replaying: a breakpoint stands at the logged instruction while the thread runs towards it; where registers and memory
// are those of the log, the others go on. The loop has the state in each round, so it does not matter that the recorded
// thread had gone through more of them.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// How long a thread waits for the baton before it asks about the holder.
__kernel_timespec patience_with_holder();

/// In a thread that waits: the holder has made no entry since `entries` were counted.
void ask_about_holder(Thread& holder);

/// In the holder, which has got the signal. False when it was not asked for.
bool begin_to_step(Thread& thread, const Siginfo& siginfo, Context& context);

/// In a thread that has got a signal: where it spins, waiting for its handler, the handler is entered.
void step_for_signal(Thread& thread, Context& context);

/// A trap after one instruction or at a breakpoint. False when it is not one of these here.
bool answer_step(Thread& thread, const Siginfo& siginfo, Context& context);

/// A call that the thread makes while it is stepped, which shows it the trap flag in r11.
void end_steps_at_call(Thread& thread, Context& context);

/// Replaying, before the thread goes on in the program: watches for the state where the log says that it spins.
void watch_for_spin(const Thread& thread);

}  // namespace culprit::loader
