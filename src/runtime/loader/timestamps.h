// rdtsc where it does not trap although the kernel was asked: in virtual machines whose hypervisor runs the guest's
// kernel without privileges, and in sandboxes that are no Linux. There the instructions are replaced in the program's
// code as it is mapped, by ones that no processor has; their faults are answered as the traps are elsewhere
// (trapped_instructions.h), and the recording is the same.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Tries whether rdtsc traps. Before the program's signals are set up.
void learn_whether_timestamps_trap();

/// Rewrites what reads the time stamp in [low, high), freshly mapped from a file for execution, if that does not trap.
/// Recording and replay rewrite the same: that of other plans' executables, too.
void rewrite_timestamps(uint64_t low, uint64_t high);

}  // namespace culprit::loader
