// Answering the program's system calls, recording and replaying.
#pragma once

#include "runtime/loader/log_writer.h"
#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Runs the call (recording, or in a child that is not recorded) or answers it from the log; logs or checks it.
long answer(Call& call);

/// Logs the call's event, or consumes and checks the one in the log. `written` says where the kernel wrote.
/// Replaying, returns the recorded result after feeding back what was written; else `result`.
long settle(Call& call, long result);

/// Logs the call's event with what the kernel wrote.
void append_call(const Call& call, long result, const PartSource* parts = nullptr, uint32_t count = 0);

/// Whether a call of this number gives data to its first argument, a descriptor.
bool writes_data(uint64_t number);

/// Replaying: writes what the kernel wrote.
void feed_back(const Call& call, const format::Event& event);

/// Keeps for the session what a call wrote; `output` is kShowOnOutput or kShowOnError.
void show_data(const Call& call, long result, uint8_t output);

/// mmap, munmap, mprotect, mremap, brk, madvise.
long memory_call(Call& call);

/// fork, vfork, clone, execve, exit, exit_group and the few of threads that need no kernel.
long process_call(Call& call);

/// CRC-32C of number, arguments and, for calls that succeeded, of what the kernel read.
uint32_t check_of(const Call& call, long result);

}  // namespace culprit::loader
