#include "runtime/index/thread_start.h"

namespace culprit::runtime {

constinit thread_local ThreadStart* this_thread_start = nullptr;

size_t begin_thread_id(char* words, size_t most) {
  const ThreadStart* start = this_thread_start;
  if (!start || start->bytes > most) {
    const uint64_t none = 0;
    __builtin_memcpy(words, &none, sizeof none);
    return sizeof none;
  }
  __builtin_memcpy(words, start->words, start->bytes);
  return start->bytes;
}

}  // namespace culprit::runtime
