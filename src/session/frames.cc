#include "session/frames.h"

#include <unordered_set>

#include "format/session_abi.h"

namespace culprit {

std::vector<Frame> read_frames(const ProcessMemory& memory, uint64_t innermost, size_t most) {
  std::vector<Frame> frames;
  std::unordered_set<uint64_t> seen;
  for (uint64_t at = innermost; at != 0 && frames.size() < most;) {
    format::FrameRecord record{};
    if (!memory(at, std::as_writable_bytes(std::span(&record, 1)))) break;
    if (!seen.insert(at).second) break;
    frames.push_back({.entry_block = record.entry_block,
                      .statement = record.statement,
                      .user_frame = reinterpret_cast<uint64_t>(record.user_frame),
                      .private_frame = reinterpret_cast<uint64_t>(record.private_frame)});
    at = reinterpret_cast<uint64_t>(record.caller);
  }
  return frames;
}

}  // namespace culprit
