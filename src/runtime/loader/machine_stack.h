// Bodies of different plans have frames of different sizes on the machine stack, which the program cannot see. What
// libc puts there, below them, is at other addresses in a replay by another plan.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// Whether `address` lies in the part of the thread's machine stack that is in use, by the stack pointer in `context`.
bool on_machine_stack(const Thread& thread, const Context& context, uint64_t address);

/// What of an argument is the same in all plans. Of numbers the upper half is left out, too: in a register that holds
/// an int it is whatever the compiler left there.
uint32_t shared_part_of_argument(const Call& call, int index);

/// How many of a call's arguments mean something: the others hold what the caller's body left in the registers.
int arguments_in_use(const Call& call);

/// An address that the kernel wrote to, as it stands in the log: addresses on the machine stack relative to the nearest
/// argument that points there (format::kRelative), others as they are.
uint64_t address_for_log(const Call& call, uint64_t address);
/// The address that a logged one stands for in this run.
uint64_t address_from_log(const Call& call, uint64_t logged);

}  // namespace culprit::loader
