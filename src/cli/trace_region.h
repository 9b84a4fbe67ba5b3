// `culprit trace --from POINT --to POINT`.
#pragma once

#include <filesystem>
#include <string>

#include "cli/make_trace.h"
#include "recording/recording.h"

namespace culprit::cli {

/// The trace of a part of a recorded run, with values: it begins some time before the point `from` and ends soon after
/// `to` (points as of `culprit replay --to`; empty: the run's begin and end). Nothing, said on standard error, when the
/// run does not reach a point. Throws UserError: a beginning can be had only where one thread runs.
std::optional<MadeTrace> make_trace_of_region(const recording::Recording& recording,
                                              const std::filesystem::path& folder, const std::string& from,
                                              const std::string& to);

}  // namespace culprit::cli
