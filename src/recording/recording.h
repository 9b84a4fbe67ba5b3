// A recording opened for reading.
#pragma once

#include <filesystem>
#include <string>

#include "recording/event_stream.h"
#include "recording/manifest.h"

namespace culprit::recording {

struct Recording {
  std::filesystem::path directory;
  Manifest manifest;
  EventStream stream;
};

/// `name` as find_recording takes it. A recording that was killed is opened as far as it goes. Throws UserError,
/// CorruptData (also when a finished recording has not the events that its manifest says).
Recording open_recording(const std::string& name);

/// Where the file was of which `path` is a copy that the manifest knows; `path` itself where it is none.
std::filesystem::path original_of_copy(const Recording& recording, const std::filesystem::path& path);

}  // namespace culprit::recording
