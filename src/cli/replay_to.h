// `culprit replay --to POINT`.
#pragma once

#include <optional>
#include <string>

#include "build/builder.h"
#include "cli/command.h"
#include "program/program_model.h"
#include "recording/recording.h"
#include "session/session.h"

namespace culprit::cli {

/// A replay that stands at a point.
struct StoppedReplay {
  BuildResult build;  ///< of the plan `session`; empty for programs that were recorded as they are
  std::optional<program::ProgramModel> model;
  Session session;
  Position position;
};

/// Nothing, said on standard error, when the run ends without reaching the point. `recording` must outlive the result.
std::optional<StoppedReplay> stop_replay(const recording::Recording& recording, const std::string& point);

/// Replays to the point, by the plan `session` where that is needed or can be had, and shows where the program is.
ExitCode replay_to(const recording::Recording& recording, const std::string& point, bool json);

}  // namespace culprit::cli
