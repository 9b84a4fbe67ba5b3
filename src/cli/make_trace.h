// Running a program so that it leaves a trace.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace_recording.h"

namespace culprit::cli {

using MadeTrace = trace::TracedRecording;

/// Builds the program by the plan `trace` when that was not done before, and runs it with inherited standard streams.
/// `words`: the program and its arguments. The trace goes to `folder`. A path alone: by the plan `path`.
MadeTrace make_trace(const std::vector<std::string>& words, const std::filesystem::path& folder,
                     format::TraceContents contents = format::TraceContents::kAll);

/// The same of a recorded run, by replaying it. Throws UserError when the replay differs from the recording.
MadeTrace make_trace_of_recording(const recording::Recording& recording, const std::filesystem::path& folder,
                                  const recording::Surroundings& surroundings = {},
                                  format::TraceContents contents = format::TraceContents::kAll);
/// The same of its end, with values: the last `bytes` of its main thread's events.
MadeTrace make_trace_of_end(const recording::Recording& recording, const std::filesystem::path& folder, uint64_t bytes);

/// What a trace of a recorded run is made by: its executable is built when that was not done before.
trace::TraceOrigin origin_of_trace(const recording::Recording& recording, format::TraceContents contents);

/// The whole trace that is kept in the recording's folder; made first when there is none by this Culprit's build of the
/// program. Where that folder cannot be written, nothing. Throws UserError when the replay differs from the recording.
std::optional<std::filesystem::path> kept_trace(const recording::Recording& recording);
/// Its name there.
inline constexpr const char* kKeptTrace = "trace";

}  // namespace culprit::cli
