// The pairs of stacks, one user and one private, of threads and of contexts made by makecontext.
//
// They lie in a fixed range of addresses, by slot, so that a variable has the same address in every run that attaches
// its threads in the same order. The memory is reserved only; pages come into being when touched.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/runtime_abi.h"

namespace culprit::runtime {

/// What a fault at an address means.
enum class StackFault : uint8_t {
  kNone,      ///< not a stack of ours
  kGrown,     ///< RLIMIT_STACK has been raised since; the stack is larger now, the access may be repeated
  kOverflow,  ///< below the end of a stack
};

/// Which stack `address` is beneath, and its size.
StackFault examine_fault(uintptr_t address, size_t* stack_bytes);

/// The same without growing anything: whether it lies below the end of a stack of ours.
bool is_beneath_stack(uintptr_t address);

/// True when a fault at `address` means that the machine stack is used up: a frame or a push just below its pointer.
bool is_below_machine_stack(uintptr_t address, uintptr_t stack_pointer);

/// An address just beneath the lowest byte of the thread's user stack, or of its context's; 0 when it has none.
uintptr_t address_beneath_user_stack(const format::ThreadState& thread);

/// Moves the thread to small stacks apart from its own, which are used up; false when there is no memory for them. The
/// caller keeps the pointers and puts them back.
bool use_emergency_stacks(format::ThreadState& thread);

/// Ends the process with a message. For what the runtime cannot go on without.
[[noreturn]] void fail(const char* message);

}  // namespace culprit::runtime

extern "C" {

/// Gives the calling thread its stacks: sets user_sp, private_sp and stack_slot. The slot is the lowest free one; slots
/// of threads that have died are free again. The first call also starts watching for stack overflows.
void culprit_stacks_attach(culprit::format::ThreadState* thread);

/// Frees the thread's slot, for a runtime that knows when threads end.
void culprit_stacks_release(culprit::format::ThreadState* thread);

/// Called after makecontext(context, ...): the context gets stacks of its own, the same again when its machine stack is
/// reused. `context` is a ucontext_t*.
void culprit_context_made(void* context);
}
