// Running a program so that it leaves a trace.
#pragma once

#include <filesystem>
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
MadeTrace make_trace_of_end(const recording::Recording& recording, const std::filesystem::path& folder, uint64_t bytes,
                            const recording::Surroundings& surroundings = {});

/// What a trace of a recorded run is made by: its executable is built when that was not done before.
trace::TraceOrigin origin_of_trace(const recording::Recording& recording, format::TraceContents contents);

}  // namespace culprit::cli
