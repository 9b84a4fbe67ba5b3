// What traced executables put in the place of the heap's functions, so that the trace has every block: also those that
// libraries get and give back within a call. All is passed on. Weak: a program that has its own keeps it, and then only
// what it calls by these names is told, by the calls themselves.
#include <cstdint>

#include "format/trace_format.h"
#include "runtime/heap_functions.h"

extern "C" void culprit_trace_heap(const void* block, uint64_t bytes);

namespace {

using culprit::format::kTraceHeapFreed;
using culprit::format::kTraceHeapKept;

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

CULPRIT_OVERRIDE void* memalign(size_t alignment, size_t bytes) {
  return told(__libc_memalign(alignment, bytes), bytes);
}
