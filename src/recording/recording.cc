#include "recording/recording.h"

#include <fmt/format.h>

#include "base/error.h"
#include "recording/place.h"

namespace culprit::recording {

Recording open_recording(const std::string& name) {
  const std::filesystem::path directory = find_recording(name);
  Manifest manifest = read_manifest(directory);
  const bool finished = manifest.state == State::kFinished;
  EventStream stream(directory, finished);
  if (finished && (stream.bytes() != manifest.stream_bytes || stream.events() != manifest.events)) {
    throw CorruptData((directory / "log").string(), std::filesystem::file_size(directory / "log"),
                      fmt::format("holds {} events in {} bytes, but {} in {} were recorded", stream.events(),
                                  stream.bytes(), manifest.events, manifest.stream_bytes));
  }
  return {directory, std::move(manifest), std::move(stream)};
}

}  // namespace culprit::recording
