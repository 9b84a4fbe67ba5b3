// The id that a thread starts from: that of the point where it was created.
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::runtime {

/// What a new thread's creator left for it; null when nobody did.
struct ThreadStart {
  void* (*routine)(void*);
  void* argument;
  size_t bytes;
  char words[];
};
extern thread_local ThreadStart* this_thread_start __attribute__((tls_model("local-exec")));

/// Writes the words that the calling thread's ids begin with to `words`, at most `most` bytes of them; returns their
/// bytes, at least one word.
size_t begin_thread_id(char* words, size_t most);

}  // namespace culprit::runtime
