// `culprit replay --to POINT`.
#pragma once

#include <string>

#include "cli/command.h"
#include "recording/recording.h"

namespace culprit::cli {

/// Replays to the point, by the plan `session` where that is needed or can be had, and shows where the program is.
ExitCode replay_to(const recording::Recording& recording, const std::string& point, bool json);

}  // namespace culprit::cli
