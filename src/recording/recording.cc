#include "recording/recording.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "recording/children.h"
#include "recording/place.h"

namespace culprit::recording {

namespace {

/// Makes the parent's manifest the child's, which no launcher has written down. Copies of files that the child made are
/// not in it: nobody has noted their hashes.
void complete_from_events(Manifest& manifest, const EventStream& stream, uint64_t forked_at) {
  manifest.state = State::kRecording;
  manifest.ended.clear();
  manifest.timed_out = false;
  std::set<uint32_t> shared_files;
  stream.for_each([&](const EventRef& ref) {
    const format::Event& event = *ref.event;
    if (event.kind == format::EventKind::kFile && ref.offset < forked_at) {
      shared_files.insert(static_cast<uint32_t>(event.result));
    } else if (event.kind == format::EventKind::kExit) {
      manifest.state = State::kFinished;
      manifest.exit_signal = event.number;
      manifest.exit_status = event.number == 0 ? static_cast<int>(event.result) : 0;
    }
    return true;
  });
  std::erase_if(manifest.files, [&](const CopiedFile& file) { return !shared_files.contains(file.index); });
  manifest.stream_bytes = stream.bytes();
  manifest.events = stream.events();
}

Recording open_at(const std::filesystem::path& directory) {
  if (const std::optional<format::OriginRecord> origin = read_origin(directory)) {
    const Recording parent = open_at(directory.parent_path().parent_path());
    EventStream stream(parent.stream, origin->offset, directory);
    Manifest manifest = parent.manifest;
    complete_from_events(manifest, stream, origin->offset);
    return {directory, std::move(manifest), std::move(stream)};
  }
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

}  // namespace

Recording open_recording(const std::string& name) {
  return open_at(find_recording(name));
}

std::filesystem::path original_of_copy(const Recording& recording, const std::filesystem::path& path) {
  for (const CopiedFile& each : recording.manifest.files) {
    std::error_code none;
    if (std::filesystem::equivalent(copied_file(recording.directory, each.index), path, none)) return each.path;
  }
  return path;
}

}  // namespace culprit::recording
