// A child that a captured program forks gets a recording of its own, in children/PROCESS of its parent's: the parent's
// events up to the fork, then its own. It ends when the child executes another program. A child of whatever kind that
// executes a captured program gets a recording of that alone, in executed/PROCESS of the launcher's.
#pragma once

#include <stdint.h>

#include "runtime/loader/intercept.h"
#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// In a new child, whose parent's log had `offset` bytes of events. False when it is not to be recorded or cannot be.
bool start_child_recording(uint64_t offset);

/// The child executes another program; from here on only what it writes to the program's output is logged.
void end_child_recording();

/// Where the launcher has put the recording of an executed program.
struct ExecutedRecording {
  char directory[256];    ///< relative to the launcher's
  char executable[4096];  ///< what runs in the program's place
};

/// Asks the launcher for a recording of `program` (an absolute path), which is about to be executed with `arguments`.
/// False when it is not to be recorded, or nobody answers.
bool ask_for_recording(const char* program, const char* const* arguments, ExecutedRecording& answer);

/// In the fresh image: begins it. The launcher's is `outer_directory` by then.
void begin_executed_recording(const char* directory);

/// The descriptor of the launcher's recording.
int launchers_directory();

/// Whether this process has a recording that another one contains.
bool in_child_recording();

/// What the kernel does to a forked child's only thread; recording and replaying.
void become_child(Call& call, uint64_t flags, uint64_t stack, int32_t process);

}  // namespace culprit::loader
