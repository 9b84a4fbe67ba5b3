// The trace of a recorded run, made by replaying it.
#pragma once

#include <filesystem>

#include "recording/recording.h"
#include "recording/runtime_process.h"
#include "trace/collect.h"

namespace culprit::trace {

struct TracedRecording {
  ProcessEnd end;
  CollectedTrace trace;
};

/// Replays by an executable of the plan `trace`. `origin` is that executable's. Throws UserError, also when the replay
/// differs from the recording.
TracedRecording trace_recording(const recording::Recording& recording, const std::filesystem::path& folder,
                                const TraceOrigin& origin, const recording::Surroundings& surroundings = {});

/// Only its end: the last `bytes` of its main thread's events, or all. Replays twice; the first time events are only
/// counted. `origin` is of the plan `values`.
TracedRecording trace_end_of(const recording::Recording& recording, const std::filesystem::path& folder,
                             TraceOrigin origin, uint64_t bytes, const recording::Surroundings& surroundings = {});

}  // namespace culprit::trace
