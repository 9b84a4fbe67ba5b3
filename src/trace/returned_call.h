// The event of a call that came back from native code.
#pragma once

#include <algorithm>

#include "trace/control_stream.h"
#include "trace/event_bytes.h"

namespace culprit::trace {

/// Behind the operation (format::kTraceReturned).
inline void read_returned(EventBytes& events, ReturnedCall& call) {
  call.result = events.number<uint64_t>();
  const auto count = events.number<uint8_t>();
  call.count = std::min<uint32_t>(count & ~format::kTraceHasWords, format::kTraceMostArguments);
  call.strings = events.number<uint16_t>();
  for (uint32_t each = 0; each < call.count; ++each) call.arguments[each] = events.number<uint64_t>();
  for (uint32_t each = 0; each < call.count; ++each) {
    if (call.strings >> each & 1) call.lengths[each] = events.number<uint32_t>();
  }
  call.words.resize((count & format::kTraceHasWords) != 0 ? events.number<uint8_t>() : 0);
  for (format::TraceWord& each : call.words) {
    each.address = events.number<uint64_t>();
    each.word = events.number<uint64_t>();
    each.length = events.number<uint32_t>();
    each.after = events.number<uint32_t>();
  }
}

}  // namespace culprit::trace
