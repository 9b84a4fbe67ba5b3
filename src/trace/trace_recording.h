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

}  // namespace culprit::trace
