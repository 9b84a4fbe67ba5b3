// The latest address of every site of one thread, as its events tell them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trace/event_bytes.h"

namespace culprit::trace {

/// Changes `word`, what the reader knows, to what the next event says; false when that is none, or the end.
inline bool read_word(EventBytes& events, uint64_t& word) {
  const uint8_t code = events.peek();
  if (code == 0 || code > format::kTraceMostDelta) return false;
  events.take();
  if (code == format::kTraceAbsolute) {
    word = events.number<uint64_t>();
  } else {
    word += static_cast<uint64_t>(int64_t{code} - format::kTraceDeltaBias);
  }
  return true;
}

class SiteAddresses {
 public:
  void begin(std::vector<uint64_t> addresses) { addresses_ = std::move(addresses); }
  std::span<const uint64_t> all() const { return addresses_; }

  /// Takes the next event as the address of a site; false when it is none, or at the end of the trace.
  bool read(EventBytes& events, uint32_t site) {
    if (site >= addresses_.size()) addresses_.resize(std::max<size_t>(site + 1, addresses_.size() * 2));
    return read_word(events, addresses_[site]);
  }

 private:
  std::vector<uint64_t> addresses_;
};

}  // namespace culprit::trace
