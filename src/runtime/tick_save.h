// Where the tick's slow path keeps the program's registers (tick.S knows the offsets).
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::runtime {

/// Per thread. Registers are saved here before there is a stack to save them on.
struct TickSave {
  uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15;
  uint64_t flags;
  uint64_t signal_mask;   ///< the program's, while all signals are blocked
  char* stack_top;        ///< the runtime's stack for this thread; null until its first slow tick
  uint64_t blocks;        ///< 1: all signals are blocked during this slow path
  uint64_t ends_by_call;  ///< 1: at its end signals are unblocked, or those that wait are given
};
static_assert(offsetof(TickSave, rsp) == 56);
static_assert(offsetof(TickSave, r11) == 88);
static_assert(offsetof(TickSave, flags) == 128);
static_assert(offsetof(TickSave, signal_mask) == 136);
static_assert(offsetof(TickSave, stack_top) == 144);
static_assert(offsetof(TickSave, blocks) == 152 && offsetof(TickSave, ends_by_call) == 160);

/// Bytes mapped for the runtime's stack of a thread.
inline constexpr size_t kTickStackBytes = 64 * 1024;
/// Ticks that a thread gets while its slow path runs, so that a signal handler that gets in does not enter it too.
inline constexpr int64_t kTicksWhileSaving = 0x40000000;

}  // namespace culprit::runtime
