// Copies of executables and mapped files inside the recording, and the program's descriptors as far as replay needs
// them.
#pragma once

#include "runtime/loader/kernel.h"

namespace culprit::loader {

/// The index of the copy `files/N` of the regular file open as `fd`, made and logged now unless one is there already
/// that cannot be out of date. kNoFile when it is not a regular file or cannot be copied.
uint32_t copy_in_recording(int fd);

/// How many copies the recording has; a program started by execve goes on counting there.
uint32_t copies_made();
void continue_copies(uint32_t made);

/// Opens `files/index` for reading. A replay cannot go on without it: fails loudly.
int open_copy(uint32_t index);

/// Keeps the program away from the runtime's descriptor.
bool is_own_descriptor(uint64_t fd);

/// Moves `fd` out of the program's way and closes the original.
int move_high(int fd);

/// Remembers which files the first output and error are.
void remember_outputs();

/// What a recorded call did to the descriptors: which of them are still the first output and error.
void follow_descriptors(uint64_t number, const uint64_t* arguments, long result);

}  // namespace culprit::loader
