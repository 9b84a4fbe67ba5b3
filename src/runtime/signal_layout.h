// Where the kernel puts what a handler wants to know (siginfo_t and ucontext_t for x86-64).
#pragma once

namespace culprit::runtime {

constexpr int kSegmentationFault = 11;
constexpr int kSignalCode = 8;           // offset of si_code in siginfo_t; positive when the kernel sent the signal
constexpr int kSignalAddress = 16;       // offset of si_addr
constexpr int kSavedStackPointer = 160;  // offset of rsp in ucontext_t
constexpr int kSavedInstruction = 168;   // offset of rip

template <typename T>
T read_at(const char* base, long offset) {
  T value;
  __builtin_memcpy(&value, base + offset, sizeof value);
  return value;
}

}  // namespace culprit::runtime
