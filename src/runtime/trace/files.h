// The files of a trace as the traced program sees them: in a folder that the environment names, or of which the
// launcher of a replay gave it a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::runtime {

/// As raw_syscall. In a replay it is no event.
long trace_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0);

/// False when the name is empty or too long.
bool use_folder(const char* name);
void use_folder_of_replay();

/// A descriptor, or a negative number. Files that are made are the user's own.
long open_trace_file(const char* name, int flags);
long open_numbered_trace_file(const char* prefix, uint32_t number, int flags);

bool write_all(long file, const void* from, size_t bytes);

}  // namespace culprit::runtime
