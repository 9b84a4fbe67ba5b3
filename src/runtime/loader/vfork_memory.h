// A vfork child runs on a copy of its parent's memory here. What it writes into the stack frames that the two would
// share still reaches the parent: that is how posix_spawn learns that exec failed.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Before the clone: remembers the stack from the parent's stack pointer upwards.
void prepare_vfork(const Context& context);

/// In the child: whether leave_vfork_memory is to hand its changes over.
void begin_child(bool shares_memory);

/// The child ends without having started another program. Does nothing in other processes.
void leave_vfork_memory();

/// In the parent, which has waited: takes the child's changes and logs them with the call.
long settle_vfork(Call& call, long result);

}  // namespace culprit::loader
