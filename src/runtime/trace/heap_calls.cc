// What traced executables put in the place of the heap's functions, so that the trace has every block: also those that
// libraries get and give back within a call. All is passed on. Weak: a program that has its own keeps it, and then only
// what it calls by these names is told, by the calls themselves.
#include <cstdint>

#include "format/trace_format.h"
#include "runtime/heap_functions.h"

extern "C" void culprit_trace_heap(const void* block, uint64_t bytes);
extern "C" __attribute__((visibility("hidden"))) uint64_t culprit_trace_freed_room;
extern "C" size_t malloc_usable_size(void* block);

namespace {

using culprit::format::kTraceHeapFreed;
using culprit::format::kTraceHeapKept;

/// Whether a block that the program gives back stays what it is.
bool stays(void* block) {
  uint64_t room = __atomic_load_n(&culprit_trace_freed_room, __ATOMIC_RELAXED);
  if (room == 0 || !block) return false;
  const uint64_t bytes = malloc_usable_size(block);
  return bytes <= room && __atomic_compare_exchange_n(&culprit_trace_freed_room, &room, room - bytes, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void* told(void* block, size_t bytes) {
  culprit_trace_heap(block, bytes);
  return block;
}

}  // namespace

CULPRIT_OVERRIDE void* malloc(size_t bytes) {
  return told(__libc_malloc(bytes), bytes);
}

CULPRIT_OVERRIDE void* calloc(size_t count, size_t bytes) {
  return told(__libc_calloc(count, bytes), count * bytes);
}

/// Told first: the library may stop the program here.
CULPRIT_OVERRIDE void free(void* block) {
  culprit_trace_heap(block, kTraceHeapFreed);
  if (!stays(block)) __libc_free(block);
}

CULPRIT_OVERRIDE void* realloc(void* block, size_t bytes) {
  culprit_trace_heap(block, kTraceHeapFreed);
  const bool copies = bytes != 0 && stays(block);
  void* const moved = copies ? __libc_malloc(bytes) : __libc_realloc(block, bytes);
  if (copies && moved) {
    const size_t before = malloc_usable_size(block);
    __builtin_memcpy(moved, block, before < bytes ? before : bytes);
  }
  if (moved) return told(moved, bytes);
  // Of no bytes it is a release.
  if (bytes != 0) culprit_trace_heap(block, kTraceHeapKept);
  return nullptr;
}

CULPRIT_OVERRIDE void* memalign(size_t alignment, size_t bytes) {
  return told(__libc_memalign(alignment, bytes), bytes);
}
