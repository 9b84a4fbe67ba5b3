// Chance in scheduling while recording (`culprit record --chaos`), to bring out races. Whatever it decides is in the
// order of the events, so that a replay needs none of it.
//
// Threads have random priorities, drawn anew at random moments, and the ready thread with the highest goes first
// (after Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", whose fixed number
// of change points is replaced by a rate, because the length of the run is not known); quanta are random on a
// logarithmic scale, so that very short ones are as likely as long ones; a call is also a place to be preempted.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// From now on scheduling is random. Runs with the same seed differ all the same, since the world does.
void start_chaos(uint64_t seed);

/// The seed to go on with after execve; 0: no chaos.
uint64_t chaos_state();

bool in_chaos();

/// A new thread's priority, or one drawn anew.
uint32_t random_priority();

/// At a place where the thread may be preempted: whether it draws a new priority here.
bool draws_anew();

/// Whether the thread offers the baton at this call.
bool preempts_at_call();

/// Ticks of the next quantum.
long random_quantum(long longest);

}  // namespace culprit::loader
