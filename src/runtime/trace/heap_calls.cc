// What traced executables put in the place of the heap's functions, so that the trace has every block: also those that
// libraries get and give back within a call. All is passed on. Weak: a program that has its own keeps it, and then only
// what it calls by these names is told, by the calls themselves.
#include <cstddef>
#include <cstdint>

#include "format/trace_format.h"

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);
int* __errno_location();
void culprit_trace_heap(const void* block, uint64_t bytes);
}

namespace {

using culprit::format::kTraceHeapFreed;
using culprit::format::kTraceHeapKept;

constexpr int kNoMemory = 12, kInvalid = 22;

void* told(void* block, size_t bytes) {
  culprit_trace_heap(block, bytes);
  return block;
}

}  // namespace

#define CULPRIT_OVERRIDE extern "C" __attribute__((weak, visibility("default")))

CULPRIT_OVERRIDE void* malloc(size_t bytes) {
  return told(__libc_malloc(bytes), bytes);
}

CULPRIT_OVERRIDE void* calloc(size_t count, size_t bytes) {
  return told(__libc_calloc(count, bytes), count * bytes);
}

/// Told first: the library may stop the program here.
CULPRIT_OVERRIDE void free(void* block) {
  culprit_trace_heap(block, kTraceHeapFreed);
  __libc_free(block);
}

CULPRIT_OVERRIDE void* realloc(void* block, size_t bytes) {
  culprit_trace_heap(block, kTraceHeapFreed);
  void* const moved = __libc_realloc(block, bytes);
  if (moved) return told(moved, bytes);
  // Of no bytes it is a release.
  if (bytes != 0) culprit_trace_heap(block, kTraceHeapKept);
  return nullptr;
}

CULPRIT_OVERRIDE void* reallocarray(void* block, size_t count, size_t bytes) {
  size_t product = 0;
  if (!__builtin_mul_overflow(count, bytes, &product)) return realloc(block, product);
  *__errno_location() = kNoMemory;
  return nullptr;
}

CULPRIT_OVERRIDE void* memalign(size_t alignment, size_t bytes) {
  return told(__libc_memalign(alignment, bytes), bytes);
}

CULPRIT_OVERRIDE void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

CULPRIT_OVERRIDE int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return kInvalid;
  void* memory = memalign(alignment, bytes);
  if (!memory) return kNoMemory;
  *block = memory;
  return 0;
}
