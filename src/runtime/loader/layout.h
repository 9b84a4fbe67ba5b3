// Where everything lies. The program's addresses are the same in every run; the runtime's are where the kernel puts
// nothing of its own (its stack, vDSO and mmap base are within 1.1 TB of the top, brk of this image is not used).
#pragma once

#include <stdint.h>

namespace culprit::loader {

// The runtime's own: [kRuntimeLow, kRuntimeHigh). The image itself is linked at kRuntimeLow.
inline constexpr uint64_t kRuntimeLow = 0x600000000000;
inline constexpr uint64_t kHandlerStacks = 0x601000000000;  ///< while replaying by another plan (deep_stacks.h)
inline constexpr uint64_t kHandlerStackBytes = 16u << 20;   ///< from one to the next
inline constexpr uint64_t kThreadRegions = 0x610000000000;
inline constexpr uint64_t kThreadRegionBytes = 1 << 20;  ///< guard page, runtime stack, Thread
inline constexpr uint64_t kRingAddress = 0x620000000000;
inline constexpr uint64_t kChildRingAddress = 0x620800000000;  ///< of a child's own recording
inline constexpr uint64_t kReportAddress = 0x621000000000;
inline constexpr uint64_t kStreamAddress = 0x630000000000;
inline constexpr uint64_t kRuntimeHigh = 0x640000000000;

// The program's. Captured programs put their stacks at 0x640000000000 and 0x740000000000 (src/runtime/stacks.cc).
inline constexpr uint64_t kProgramBase = 0x555555400000;  ///< of a position-independent executable
inline constexpr uint64_t kStackMapLow = 0x760000000000;  ///< mmap of a stack without a place
inline constexpr uint64_t kStackMapHigh = 0x780000000000;
inline constexpr uint64_t kStackMapRoom = 128u << 20;  ///< at least, between one and the next
inline constexpr uint64_t kMapLow = 0x780000000000;    ///< mmap without a place: from kMapHigh down
inline constexpr uint64_t kMapHigh = 0x7d0000000000;
inline constexpr uint64_t kStackTop = 0x7d8000000000;
inline constexpr uint64_t kProgramHigh = 0x7d8000000000;  ///< the program has nothing at or above this
inline constexpr uint64_t kStackBytesMost = 64u << 20;
/// While replaying by another plan than the recorded one (deep_stacks.h). Nothing else is there.
inline constexpr uint64_t kDeepStackBytesMost = 32 * kStackBytesMost;

}  // namespace culprit::loader
