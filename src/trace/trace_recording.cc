#include "trace/trace_recording.h"

#include <fmt/format.h>

#include "base/error.h"
#include "recording/replay.h"

namespace culprit::trace {

TracedRecording trace_recording(const recording::Recording& recording, const std::filesystem::path& folder,
                                const TraceOrigin& origin, const recording::Surroundings& surroundings) {
  TraceCollector collector(folder, origin);
  const format::ReplayReport report = recording::replay(
      recording.directory, recording.stream,
      {.executable = origin.executable, .hook_output = collector.folder_descriptor(), .surroundings = surroundings});
  TracedRecording made;
  made.end = {.exit_status = static_cast<int>(report.exit_status), .signal = static_cast<int>(report.exit_signal)};
  made.trace = collector.finish(made.end);
  if (report.state == format::ReplayState::kDiverged) {
    throw UserError(recording::divergence_text(recording.stream, report), "record again");
  }
  if (report.state != format::ReplayState::kFinished && report.state != format::ReplayState::kLogEnded) {
    throw UserError(fmt::format("the replay failed: {}", static_cast<const char*>(report.said)), "record again");
  }
  return made;
}

TracedRecording trace_end_of(const recording::Recording& recording, const std::filesystem::path& folder,
                             TraceOrigin origin, uint64_t bytes, const recording::Surroundings& surroundings) {
  origin.skip_parts = kSkipAll;
  const recording::NoStreams nowhere;
  const uint64_t all = trace_recording(recording, folder, origin, nowhere.surroundings()).trace.skipped_parts;
  const uint64_t wanted = bytes / kPartBytes + 1;
  origin.skip_parts = all > wanted ? all - wanted : 0;
  return trace_recording(recording, folder, origin, surroundings);
}

}  // namespace culprit::trace
