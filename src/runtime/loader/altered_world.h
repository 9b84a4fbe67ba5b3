// Calls of a run that a session has altered: it may leave the log, and nothing that it does reaches the outside.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Answers a call other than those about memory and signals. Files are read on where the run stands in them
/// (altered_files.h). Where the log, not far ahead, has the same call with the same arguments and data, its answer is
/// taken from there. Otherwise: what is written counts as written, other descriptors are at their end, time goes on by
/// itself, no process or connection is made.
long answer_altered(Call& call);

/// Ends the run at its limit of ticks, or says how many more it may pass.
long altered_tick(Thread& thread);

/// Time that threads wait for is over.
void let_time_pass();

/// Ends the run: nobody is left who could go on.
[[noreturn]] void give_up_altered();

/// Tells the session how the run ended.
[[noreturn]] void end_altered(int64_t exit_status, int signal);

/// Data for standard output or error, kept for the session.
void keep_output(uint64_t address, uint64_t bytes);

}  // namespace culprit::loader
