#include "recording/cut.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/file.h"
#include "recording/children.h"
#include "recording/frame.h"

namespace culprit::recording {
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kFrameBytes = 1u << 20;

/// What the first events take up.
struct Kept {
  uint64_t events = 0;
  uint64_t bytes = 0;
  std::set<uint32_t> files;
};

Kept first_events(const EventStream& stream, uint64_t events) {
  Kept kept;
  stream.for_each([&](const EventRef& ref) {
    if (kept.events == events) return false;
    ++kept.events;
    kept.bytes = ref.offset + ref.event->bytes;
    if (ref.event->kind == format::EventKind::kFile) kept.files.insert(static_cast<uint32_t>(ref.event->result));
    return true;
  });
  return kept;
}

std::string log_of(std::span<const std::byte> stream, int zstd_level) {
  const format::LogHeader header = log_header();
  std::string log(reinterpret_cast<const char*>(&header), sizeof header);
  for (uint64_t at = 0; at < stream.size(); at += kFrameBytes) {
    const auto frame =
        encode_frame(at, stream.subspan(at, std::min<uint64_t>(kFrameBytes, stream.size() - at)), zstd_level);
    log.append(reinterpret_cast<const char*>(frame.data()), frame.size());
  }
  return log;
}

}  // namespace

void cut(Recording recording, uint64_t events, int zstd_level) {
  const Kept kept = first_events(recording.stream, events);
  // The manifest says what the log holds, so it goes last and, until then, that the recording may be cut anywhere.
  Manifest manifest = recording.manifest;
  manifest.state = State::kRecording;
  write_manifest(recording.directory, manifest);
  write_file_atomically(recording.directory / "log", log_of(recording.stream.memory().first(kept.bytes), zstd_level));
  fs::permissions(recording.directory / "log", fs::perms::owner_read | fs::perms::owner_write);

  std::erase_if(manifest.files, [&](const CopiedFile& file) {
    if (kept.files.contains(file.index)) return false;
    fs::remove(recording.directory / "files" / std::to_string(file.index));
    return true;
  });
  for (const fs::path& child : recordings_of_children(recording.directory)) {
    const std::optional<format::OriginRecord> origin = read_origin(child);
    const bool own = child.parent_path() == children_folder(recording.directory);
    if (own && origin && origin->offset > kept.bytes) fs::remove_all(child);
  }
  manifest.state = State::kFinished;
  manifest.stream_bytes = kept.bytes;
  manifest.events = kept.events;
  write_manifest(recording.directory, manifest);
}

}  // namespace culprit::recording
