// The program's threads. Recording: kernel threads under the baton. Replaying: contexts of one kernel thread.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Makes the first thread's state, with its runtime stack.
Thread& make_first_thread();

/// Lets the kernel deliver signals to this thread's runtime stack, and current_thread() find it.
void adopt(Thread& thread);

/// The stack that signals and calls of the thread are handled on.
AlternateStack runtime_stack(const Thread& thread);

/// clone with CLONE_THREAD: the new thread's kernel id, or an error.
long create_thread(Call& call);

/// The living thread that the program knows by this id, or nullptr.
const Thread* thread_by_id(int32_t id);

/// exit of one thread of several. Does not return.
[[noreturn]] void end_thread(Thread& thread, Call& call);

/// Replaying: switches to other threads until the next event is this thread's, or the run is altered.
void wait_for_turn(Thread& thread);

/// Replaying: goes on as `to`; returns when somebody switches back.
void go_on_as(Thread& from, Thread& to);

/// In order of their making; nullptr behind the last. Dead ones, too.
Thread* thread_in_slot(uint32_t slot);

/// Replaying: whether the kernel would deliver signals to this thread's stack, which comes with contexts of traps only.
bool stack_is_in_force(const Thread& thread);
/// The thread goes to the program by a whole context.
void stack_comes_in_force(const Thread& thread);

/// Whether one of the program's threads has this id; the first one's is the process's.
bool is_thread_id(int32_t id);

void for_each_thread(void (*visit)(Thread& thread));

/// In a child process: only this thread is left.
void forget_other_threads(Thread& thread);

/// Replaying execve: only this thread is left, as the first.
void end_other_threads(Thread& thread);

}  // namespace culprit::loader
