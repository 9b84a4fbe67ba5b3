// What takes the place of the C library's heap in executables for sessions (session/overrides.cc) and in traced ones
// (trace/heap_calls.cc) alike: the library's own functions by the names that they keep, and those that are put together
// of others. Who includes this, once an executable, defines malloc, calloc, realloc, free and memalign. All are weak: a
// program that has its own keeps it.
#pragma once

#include <cstddef>

#define CULPRIT_OVERRIDE extern "C" __attribute__((weak, visibility("default")))

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);
int* __errno_location();
}

namespace culprit {

constexpr int kNoMemory = 12, kInvalid = 22;  // ENOMEM, EINVAL

/// False, with errno set, when the product is too large.
inline bool multiplies(size_t count, size_t bytes, size_t& product) {
  if (!__builtin_mul_overflow(count, bytes, &product)) return true;
  *__errno_location() = kNoMemory;
  return false;
}

}  // namespace culprit

CULPRIT_OVERRIDE void* realloc(void* block, size_t bytes);
CULPRIT_OVERRIDE void* memalign(size_t alignment, size_t bytes);

CULPRIT_OVERRIDE void* reallocarray(void* block, size_t count, size_t bytes) {
  size_t product = 0;
  return culprit::multiplies(count, bytes, product) ? realloc(block, product) : nullptr;
}

CULPRIT_OVERRIDE void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

CULPRIT_OVERRIDE int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return culprit::kInvalid;
  void* memory = memalign(alignment, bytes);
  if (!memory) return culprit::kNoMemory;
  *block = memory;
  return 0;
}
