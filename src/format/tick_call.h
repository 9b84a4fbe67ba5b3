// System calls that no kernel has, by which what is linked into the program speaks to the runtime's loader. Natively
// the kernel says ENOSYS.
#pragma once

namespace culprit::format {

/// Arguments: the thread's ThreadState, whose `granted` and `budget` are up to date; whether another call follows at
/// the end of the tick's slow path anyway; where it has the program's registers (a TickSave). Result: how many ticks
/// the thread may pass until it asks again, or a negative error number. No signal is given at this call; with
/// kSignalsWait in the result another one must follow for that.
inline constexpr long kTickCall = 0x43554c50;  // "CULP"
inline constexpr long kSignalsWait = 1L << 62;

/// A call of the instrumentation itself, made while replaying: arguments are the number of a system call of the kernel
/// and up to five of its arguments. It is made for real and is no event; memory that it maps without an address lies
/// outside of what the program can have. Elsewhere: ENOSYS.
inline constexpr long kHookCall = 0x43554c51;

/// The descriptor that a replay's launcher gave for hooks to write to (ReplayOptions::hook_output); closed when none
/// was.
inline constexpr int kHookDescriptor = 990;

}  // namespace culprit::format
