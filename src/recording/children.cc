#include "recording/children.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "recording/frame.h"

namespace culprit::recording {
namespace fs = std::filesystem;

using format::OriginRecord;
using format::RingHeader;

namespace {

constexpr uint64_t kFrameBytes = 1u << 20;

void append_frame(int log, std::span<const std::byte> frame, const fs::path& path) {
  while (!frame.empty()) {
    const ssize_t put = ::write(log, frame.data(), frame.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      throw UserError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)), "free space");
    }
    frame = frame.subspan(static_cast<size_t>(put));
  }
}

/// Moves what the ring holds beyond the log. Readers take both together until the ring is gone.
void empty_ring(const fs::path& recording, int zstd_level) {
  const fs::path path = recording / "log";
  const MappedFile ring(recording / "ring");
  RingHeader header;
  if (ring.bytes().size() < format::kRingHeaderBytes) return;  // killed while it was made
  std::memcpy(&header, ring.bytes().data(), sizeof header);
  if (header.ring_bytes != ring.bytes().size() - format::kRingHeaderBytes || header.ring_bytes == 0) return;
  if (header.error != 0 || header.committed - header.consumed > header.ring_bytes) return;
  const int log = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log < 0) return;
  try {
    for (uint64_t at = header.consumed; at < header.committed;) {
      const uint64_t place = at % header.ring_bytes;
      const uint64_t here = std::min({header.committed - at, header.ring_bytes - place, kFrameBytes});
      append_frame(log, encode_frame(at, ring.bytes().subspan(format::kRingHeaderBytes + place, here), zstd_level),
                   path);
      at += here;
    }
  } catch (...) {
    ::close(log);
    throw;
  }
  ::close(log);
  fs::remove(recording / "ring");
}

std::string hash_text(const fs::path& path) {
  const MappedFile file(path);
  const XXH128_hash_t hash = XXH3_128bits(file.bytes().data(), file.bytes().size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// The process of a recording in the folder of executed children, whose names begin with it.
int32_t process_named(const fs::path& recording) {
  return std::atoi(recording.filename().c_str());
}

/// Of an executed child that has ended. One that went on to execute another program ended where that began.
void complete_manifest(const fs::path& child) {
  Manifest manifest = read_manifest(child);
  const EventStream stream(child, false);
  stream.for_each([&](const EventRef& ref) {
    const format::Event& event = *ref.event;
    if (event.kind == format::EventKind::kFile) {
      manifest.files.push_back(copied_file_of(child, ref));
    } else if (event.kind == format::EventKind::kExit ||
               (event.kind == format::EventKind::kFault && (event.flags & format::kFatal))) {
      manifest.state = State::kFinished;
      manifest.exit_signal = event.number;
      manifest.exit_status = event.number == 0 ? static_cast<int>(event.result) : 0;
    }
    return true;
  });
  if (manifest.state != State::kFinished) return;
  manifest.ended = now_text();
  manifest.stream_bytes = stream.bytes();
  manifest.events = stream.events();
  write_manifest(child, manifest);
}

}  // namespace

fs::path executed_folder(const fs::path& recording) {
  return recording / "executed";
}

fs::path children_folder(const fs::path& recording) {
  return recording / "children";
}

std::optional<OriginRecord> read_origin(const fs::path& recording) {
  const fs::path path = recording / "origin";
  if (!fs::exists(path)) return std::nullopt;
  const MappedFile file(path);
  OriginRecord origin;
  if (file.bytes().size() != sizeof origin) throw CorruptData(path.string(), 0, "has not the size of an origin");
  std::memcpy(&origin, file.bytes().data(), sizeof origin);
  if (std::memcmp(origin.magic, format::kOriginMagic, sizeof origin.magic) != 0) {
    throw CorruptData(path.string(), 0, "does not say where a child was forked");
  }
  if (origin.version != format::kRecordingVersion) throw CorruptData(path.string(), 8, "has another format version");
  return origin;
}

fs::path copied_file(const fs::path& recording, uint32_t index) {
  const fs::path own = recording / "files" / std::to_string(index);
  if (fs::exists(own) || !fs::exists(recording / "origin")) return own;
  return copied_file(recording.parent_path().parent_path(), index);
}

std::vector<fs::path> recordings_of_children(const fs::path& recording) {
  std::vector<fs::path> all;
  for (const fs::path& folder : {children_folder(recording), executed_folder(recording)}) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      // Killed while it was made: without a log.
      const bool is_one = fs::exists(entry.path() / "origin") || fs::exists(entry.path() / "manifest.json");
      if (!is_one || !fs::exists(entry.path() / "log")) continue;
      all.push_back(entry.path());
      const std::vector<fs::path> theirs = recordings_of_children(entry.path());
      all.insert(all.end(), theirs.begin(), theirs.end());
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

CopiedFile copied_file_of(const fs::path& recording, const EventRef& event) {
  CopiedFile file;
  file.index = static_cast<uint32_t>(event.event->result);
  for (const PartRef& part : event.parts()) {
    if (part.kind == format::PartKind::kText) file.path = part.text();
  }
  const fs::path copy = copied_file(recording, file.index);
  file.bytes = fs::file_size(copy);
  file.hash = hash_text(copy);
  return file;
}

void finish_children(const fs::path& recording, int zstd_level) {
  for (const fs::path& child : recordings_of_children(recording)) {
    const std::optional<OriginRecord> origin = read_origin(child);
    const int32_t process = origin ? origin->process : process_named(child);
    const bool lives = ::kill(process, 0) == 0 || errno != ESRCH;
    if (lives || !fs::exists(child / "ring")) continue;
    empty_ring(child, zstd_level);
    if (!origin) complete_manifest(child);
  }
}

}  // namespace culprit::recording
