// Replaying a recording once, from its start to its end.
#pragma once

#include <filesystem>
#include <string>

#include "format/recording_format.h"
#include "recording/event_stream.h"
#include "recording/manifest.h"

namespace culprit::recording {

/// Replays with this process's standard output and error; `trap` as in RecordOptions. Throws UserError, CorruptData.
format::ReplayReport replay(const std::filesystem::path& directory, const EventStream& stream, bool trap = false);

/// Checks that the copied files are those that were recorded. Throws CorruptData naming the first that is not.
void check_files(const std::filesystem::path& directory, const Manifest& manifest);

/// One paragraph that says how a replay and the recording differ: the event in the log and what the program did.
std::string divergence_text(const EventStream& stream, const format::ReplayReport& report);

}  // namespace culprit::recording
