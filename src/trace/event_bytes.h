// The events of one thread of a trace as bytes, for the walk that knows what comes next.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/trace_file.h"

namespace culprit::trace {

/// The bytes of one thread's events, chunk by chunk. No event goes over the end of a chunk.
class EventBytes {
 public:
  /// The trace must stay.
  EventBytes(const TraceFile& trace, size_t thread) : trace_(trace), thread_(thread) {}

  /// The next byte without taking it; 0 at the end.
  uint8_t peek() { return at_ < events_.size() || load() ? events_[at_] : 0; }
  uint8_t take() {
    const uint8_t byte = peek();
    ++at_;
    ++taken_;
    return byte;
  }
  template <typename Number>
  Number number() {
    Number value{};
    // What the end of a killed program cuts off are zeros.
    const size_t here = at_ < events_.size() ? std::min(sizeof(value), events_.size() - at_) : 0;
    std::memcpy(&value, events_.data() + at_, here);
    at_ += sizeof(value);
    return value;
  }
  /// How many events, or parts of them, were taken so far.
  uint64_t taken() const { return taken_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw CorruptData((trace_.folder() / kChunksFile).string(), chunk_offset_,
                      fmt::format("thread {}, event at byte {} of this chunk: {}", thread_, at_, what));
  }

 private:
  bool load() {
    const std::vector<ChunkPlace>& chunks = trace_.chunks_of(thread_);
    while (next_chunk_ < chunks.size()) {
      chunk_offset_ = chunks[next_chunk_].offset;
      events_ = trace_.events(chunks[next_chunk_++]);
      at_ = 0;
      if (!events_.empty()) return true;
    }
    return false;
  }

  const TraceFile& trace_;
  size_t thread_;
  std::vector<uint8_t> events_;
  size_t at_ = 0;
  uint64_t taken_ = 0;
  size_t next_chunk_ = 0;
  uint64_t chunk_offset_ = 0;
};

}  // namespace culprit::trace
