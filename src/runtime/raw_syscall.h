// System calls without the C library, which must not notice them (errno stays as it is).
#pragma once

#include <cstdint>

namespace culprit::runtime {

/// Returns what the kernel returns: a result, or a negative error number.
inline long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <typename T>
long as_argument(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

}  // namespace culprit::runtime
