#include "recording/deadlock.h"

#include <cstring>

namespace culprit::recording {

std::vector<format::WaitPart> deadlock_of(const Recording& recording) {
  std::vector<format::WaitPart> threads;
  recording.stream.for_each([&](const EventRef& ref) {
    if (ref.event->kind != format::EventKind::kExit || (ref.event->flags & format::kDeadlock) == 0) return true;
    for (const PartRef& part : ref.parts()) {
      if (part.kind != format::PartKind::kWaits) continue;
      threads.resize(part.bytes.size() / sizeof(format::WaitPart));
      std::memcpy(threads.data(), part.bytes.data(), threads.size() * sizeof(format::WaitPart));
    }
    return true;
  });
  return threads;
}

}  // namespace culprit::recording
