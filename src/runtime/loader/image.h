// The program's first memory: its segments, those of ld.so, the stack.
#pragma once

#include "format/recording_format.h"

namespace culprit::loader {

/// Loads the executable at `path` as the kernel would, at this runtime's own places, and logs how. The program sees it
/// as `name`.
/// `initial_stack` is the stack that the kernel made for the runtime, `arguments` of whose words are not the program's.
format::StartRegisters load_program(const char* path, const char* name, uint64_t* initial_stack, unsigned arguments);

/// Replaying, the executable `path` takes the place of the recorded file `index`: another plan of the same program.
void replace_executable(uint32_t index, const char* path);

/// Makes the same memory from the log: consumes the events up to and with kStart.
format::StartRegisters load_recorded_program();

}  // namespace culprit::loader
