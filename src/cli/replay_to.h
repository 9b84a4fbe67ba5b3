// `culprit replay --to POINT`.
#pragma once

#include <filesystem>
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

/// What a region's point means before there is a recording.
struct RegionPoint {
  bool is_statement = false;  ///< of a captured program, found by replaying
  uint32_t thread = 0;        ///< of a tick
  uint64_t tick = 0;          ///< 0: none
};

/// Throws UserError when `point` is none, or cannot be one of `program`; `captured`: it was compiled with culprit-cc.
RegionPoint check_region_point(const std::string& point, const std::filesystem::path& program, bool captured);

/// Nothing, said on standard error, when the run ends without reaching the point. In a recording of a region executions
/// of statements are counted from the region's first point. `recording` must outlive the result.
std::optional<StoppedReplay> stop_replay(const recording::Recording& recording, const std::string& point);

/// Replays to the point, by the plan `session` where that is needed or can be had, and shows where the program is.
ExitCode replay_to(const recording::Recording& recording, const std::string& point, bool json);

}  // namespace culprit::cli
