// Instructions whose result differs from run to run and that the kernel can be told to trap: rdtsc, rdtscp, cpuid
// (which names the core it runs on).
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Traps them in this thread, or lets them run. Where the processor cannot trap cpuid, it runs.
void trap_instructions(bool on);

/// Answers the instruction at the context's place from the machine or from the log. False: it is none of these.
bool answer_instruction(Thread& thread, Context& context);

}  // namespace culprit::loader
