// The core that a program begins on, where the processor cannot trap cpuid. ld.so and constructors of libraries ask
// what the processor can do, and keep answers that name the core: recording and replay begin on the same one. (rr binds
// both to one core for good in this case.)
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Recording, before anything of the program runs: keeps this thread to its core where cpuid does not trap. Returns
/// what format::StartRegisters::core says.
uint64_t keep_start_core();

/// Replaying: keeps this thread to the recording's core, as far as this machine has it, or traps cpuid if the recording
/// did. Fails where that cannot be done.
void keep_recorded_core(uint64_t core);

/// Lets this thread run where it could before: at its first tick, before it makes threads or processes, and before it
/// asks for cores. Does nothing if no core is kept.
void leave_start_core();

}  // namespace culprit::loader
