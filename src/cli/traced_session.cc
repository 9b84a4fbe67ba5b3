#include "cli/traced_session.h"

#include <fmt/format.h>

#include "base/error.h"

namespace culprit::cli {

bool has_threads(const recording::Recording& recording) {
  bool found = false;
  recording.stream.for_each([&](const recording::EventRef& ref) {
    found = ref.event->kind == format::EventKind::kThreadStart;
    return !found;
  });
  return found;
}

Point tick_point(uint32_t thread, uint64_t number) {
  return {.kind = format::ReplayPoint::kTick, .thread = thread, .number = number};
}

ProcessEnd end_of(Session& session) {
  const Outcome outcome = session.outcome();
  if (outcome.state != format::ReplayState::kFinished && outcome.state != format::ReplayState::kLogEnded) {
    throw UserError(fmt::format("the replay failed: {}", outcome.said), "record again");
  }
  return {.exit_status = static_cast<int>(outcome.exit_status), .signal = static_cast<int>(outcome.exit_signal)};
}

}  // namespace culprit::cli
