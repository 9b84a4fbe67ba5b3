// The frame that a program's signal handler finds on its stack, and going back from it.
#pragma once

#include "runtime/loader/runtime.h"

namespace culprit::loader {

inline constexpr int kOnStack = 1;
inline constexpr int kStackDisabled = 2;

bool is_on_alternate_stack(const Thread& thread, uint64_t stack_pointer);

/// Changes the context so that it enters the handler; blocks what the action blocks.
void enter_handler(Thread& thread, Context& context, const Siginfo& siginfo, KernelSigaction& action);

/// At a call: whether the handler of a fault or abort was left by a jump (siglongjmp): what follows is no tale of a
/// failure.
void notice_jump_out_of_failure(Thread& thread, uint64_t stack_pointer);

/// Bytes of the floating point state at `state`, as its own header says, with the word that ends it.
uint64_t state_bytes(uint64_t state);

/// Asks the processor where vector registers are in a state. To be called before its answers are trapped.
void learn_state_components();

/// The floating point state at `state` becomes that of a fresh program.
void reset_floating_point(uint64_t state);

/// rt_sigreturn: takes registers, floating point state and mask out of the frame at the program's stack pointer.
void leave_handler(Thread& thread, Context& context);

}  // namespace culprit::loader
