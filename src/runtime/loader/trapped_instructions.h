// Instructions whose result differs from run to run and that the kernel can be told to trap: rdtsc, rdtscp (or what
// stands in their place, timestamps.h), cpuid (which names the core it runs on).
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Traps cpuid from here on in this thread. False: the processor cannot; what that asks for is in start_core.h.
bool trap_processor_id();

/// Traps them in this thread, or lets them run; cpuid only after trap_processor_id().
void trap_instructions(bool on);

/// Answers the instruction at the context's place from the machine or from the log. False: it is none of these.
bool answer_instruction(Thread& thread, Context& context);

}  // namespace culprit::loader
