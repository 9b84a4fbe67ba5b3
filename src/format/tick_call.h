// How a program's tick asks for more: a system call that no kernel has. Under a recording or a replay the runtime's
// loader answers it; natively the kernel says ENOSYS, and nothing needs to happen at a known tick.
#pragma once

namespace culprit::format {

/// Argument: the thread's ThreadState, whose `granted` and `budget` are up to date. Result: how many ticks the thread
/// may pass until it asks again, or a negative error number.
inline constexpr long kTickCall = 0x43554c50;  // "CULP"

}  // namespace culprit::format
