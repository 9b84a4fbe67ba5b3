// Chance in scheduling while recording (`culprit record --chaos`), to bring out races. Whatever it decides is in the
// order of the events, so that a replay needs none of it.
//
// Threads have random priorities, and the ready thread with the highest goes first. Seeds alternate between two ways:
//
// - When the length of the run is known from an earlier one: PCT (Burckhardt et al., "A randomized scheduler with
//   probabilistic guarantees of finding bugs"). At one to three moments, random over the run's length, the running
//   thread gets the lowest priority of all. Length and moments are in ticks, from the second thread on, or in system
//   calls where there are no ticks.
// - Else priorities are drawn anew at random moments, and quanta are random on a logarithmic scale, so that very short
//   ones are as likely as long ones; a call is also a place to be preempted.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// From now on scheduling is random. `words` is SEED or SEED:LENGTH, the seed 0 for none; a "!" behind them lets a
/// deadlock end the run even so. Runs with the same seed differ all the same, since the world does.
void start_chaos(const char* words);

/// What to go on with after execve, as start_chaos takes it.
void chaos_words(char* to, size_t room);

bool in_chaos();

/// Whether the program is ended where all its threads wait for each other.
bool deadlock_ends_run();

/// A new thread's priority.
uint32_t random_priority();

/// At a place where the thread may be preempted: gives it another priority, if its time has come.
void draw_priority(Thread& thread);

/// Whether the thread offers the baton at this call.
bool preempts_at_call();

/// Ticks of the next quantum of a thread that has passed `ticks` in the one before.
long random_quantum(long longest, uint64_t passed);

}  // namespace culprit::loader
