// A session whose program writes a trace.
#pragma once

#include <cstdint>

#include "base/file.h"
#include "recording/recording.h"
#include "session/session.h"

namespace culprit::cli {

/// Whether the recorded run started threads.
bool has_threads(const recording::Recording& recording);

Point tick_point(uint32_t thread, uint64_t number);

/// Waits for a session that runs to its end. Throws UserError when it differed from the recording.
ProcessEnd end_of(Session& session);

}  // namespace culprit::cli
