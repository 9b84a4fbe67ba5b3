// Metadata that the passes leave in the module for each other and for the program model (docs/architecture.md,
// "Homes of variables"). Read it through variable_homes.h rather than by name.
#pragma once

namespace culprit::metadata {

/// On the address computation of a variable in the user frame: !{i64 offset, i64 bytes}; the address is the frame's
/// base plus offset in every body.
inline constexpr const char* kUserHome = "culprit.user";

/// On an alloca whose address nothing can see: !{i64 offset, i64 bytes, i64 in_memory}. Private frame base plus offset
/// in bodies with homes; in traced bodies too when in_memory is 1 (the variable is accessed through its address, by
/// functions that are called with it); otherwise a register. Fast bodies leave it to the optimiser.
inline constexpr const char* kPrivateHome = "culprit.private";

/// On the instruction that yields a frame's base address: !{i64 bytes, i64 alignment, i64 stack}; stack as in
/// FrameStack.
inline constexpr const char* kFrameBase = "culprit.frame";

/// Attribute of a function whose user frame has arrays without a constant size: it grows below its base.
inline constexpr const char* kGrowingFrame = "culprit-growing-frame";

/// On a load that yields the same in every iteration of its innermost loop: !{i64 number}; loads of one number in one
/// loop yield the same. Exists from mark_invariant_loads to hoist_invariant_loads.
inline constexpr const char* kInvariant = "culprit.invariant";

/// On a select between the variable that holds an invariant load made under a loop's test and the memory itself: !{}.
inline constexpr const char* kGuarded = "culprit.guarded";

/// On an instruction (an alloca, a trap) that belongs to the instrumentation and is not of the program: !{}.
inline constexpr const char* kInternal = "culprit.internal";

/// On the code of a tick that asks the runtime, which may enter a signal's handler there: !{}.
inline constexpr const char* kSlowTick = "culprit.slow_tick";

/// On the store of the pattern that a private variable starts with: !{}.
inline constexpr const char* kPattern = "culprit.pattern";

/// On a branch that says how the clean-up of a scope goes on (clean_up_branches.h): !{}.
inline constexpr const char* kCleanUp = "culprit.cleanup";

/// On a switch that was a computed goto, by the numbers of labels: !{}. Stays until fast bodies are optimised.
inline constexpr const char* kLabelSwitch = "culprit.labels";

}  // namespace culprit::metadata
