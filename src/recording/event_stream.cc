#include "recording/event_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "recording/frame.h"

namespace culprit::recording {
namespace fs = std::filesystem;

using format::Event;
using format::EventKind;
using format::Part;
using format::PartKind;
using format::RingHeader;

namespace {

int make_temporary() {
  const char* folder = std::getenv("TMPDIR");
  const int fd = ::open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  const int memory = ::memfd_create("culprit-events", MFD_CLOEXEC);
  if (memory >= 0) return memory;
  throw UserError(fmt::format("cannot make a temporary file: {}", std::strerror(errno)),
                  "set TMPDIR to a folder that can be written", ExitCode::kEnvironmentLacks);
}

uint64_t padded(uint64_t bytes) {
  return (bytes + 7) & ~uint64_t{7};
}

/// The bytes that a part of a kind must have, or 0 for any number.
uint32_t fixed_bytes(PartKind kind) {
  switch (kind) {
    case PartKind::kMap:
      return sizeof(format::MapPart);
    case PartKind::kRegisters:
      return sizeof(format::StartRegisters);
    case PartKind::kIdentity:
      return sizeof(format::FileIdentity);
    case PartKind::kSharedMemory:
      return sizeof(uint32_t);
    case PartKind::kSpin:
      return sizeof(format::SpinState);
    default:
      return 0;
  }
}

}  // namespace

std::string wrong_with_event(std::span<const std::byte> at, uint64_t& bytes) {
  bytes = 0;
  if (at.size() < sizeof(Event)) return "ends inside an event";
  Event event;
  std::memcpy(&event, at.data(), sizeof event);
  if (event.bytes < sizeof event || event.bytes % 8 != 0) return "holds an event of a wrong size";
  if (event.kind == EventKind::kNone || event.kind > EventKind::kSpin) return "holds an event of an unknown kind";
  if (event.bytes > at.size()) return "ends inside an event";
  bytes = event.bytes;
  for (uint64_t part_at = sizeof event; part_at < bytes;) {
    Part part;
    if (bytes - part_at < sizeof part) return "holds an event whose parts do not fit";
    std::memcpy(&part, at.data() + part_at, sizeof part);
    part_at += sizeof part;
    if (padded(part.bytes) > bytes - part_at) return "holds an event whose parts do not fit";
    if (part.kind < PartKind::kMemory || part.kind > PartKind::kWaits) return "holds a part of an unknown kind";
    if (const uint32_t fixed = fixed_bytes(part.kind); fixed != 0 && part.bytes != fixed) {
      return "holds a part of a wrong size";
    }
    part_at += padded(part.bytes);
  }
  return {};
}

std::vector<PartRef> EventRef::parts() const {
  std::vector<PartRef> parts;
  const auto* base = reinterpret_cast<const std::byte*>(event);
  for (uint64_t at = sizeof(Event); at < event->bytes;) {
    Part part;
    std::memcpy(&part, base + at, sizeof part);
    at += sizeof part;
    parts.push_back({part.kind, part.address, {base + at, part.bytes}});
    at += padded(part.bytes);
  }
  return parts;
}

EventStream::EventStream(const fs::path& directory, bool finished) : descriptor_(make_temporary()) {
  read(directory, finished);
}

EventStream::EventStream(const EventStream& parent, uint64_t shared, const fs::path& directory)
    : descriptor_(make_temporary()) {
  try {
    if (shared > parent.whole_bytes_) {
      throw CorruptData((directory / "origin").string(), offsetof(format::OriginRecord, offset),
                        fmt::format("the child was forked at {} of its parent's events, which end at {}", shared,
                                    parent.whole_bytes_));
    }
    append({parent.memory_, shared});
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  read(directory, false);
}

void EventStream::read(const fs::path& directory, bool finished) {
  try {
    read_log(directory / "log", finished);
    if (fs::exists(directory / "ring")) read_ring(directory / "ring");
    if (written_ > 0) {
      void* memory = ::mmap(nullptr, written_, PROT_READ, MAP_SHARED, descriptor_, 0);
      if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "map the events");
      memory_ = static_cast<const std::byte*>(memory);
      mapped_ = written_;
    }
    check_events(directory / "log", finished);
    if (::ftruncate(descriptor_, static_cast<off_t>(whole_bytes_)) != 0) {
      throw std::system_error(errno, std::generic_category(), "cut the events");
    }
  } catch (...) {
    if (memory_) ::munmap(const_cast<std::byte*>(memory_), mapped_);
    ::close(descriptor_);
    throw;
  }
}

EventStream::EventStream(EventStream&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      written_(other.written_),
      whole_bytes_(other.whole_bytes_),
      events_(other.events_),
      memory_(std::exchange(other.memory_, nullptr)),
      mapped_(other.mapped_),
      cut_(std::move(other.cut_)) {}

EventStream::~EventStream() {
  if (memory_) ::munmap(const_cast<std::byte*>(memory_), mapped_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void EventStream::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      throw UserError(fmt::format("cannot unpack the events: {}", std::strerror(errno)),
                      "free space in the temporary folder, or set TMPDIR", ExitCode::kEnvironmentLacks);
    }
    bytes = bytes.subspan(static_cast<size_t>(put));
    written_ += static_cast<uint64_t>(put);
  }
}

void EventStream::read_log(const fs::path& log, bool finished) {
  const MappedFile file(log);
  FrameReader frames(log, file.bytes(), written_);
  std::vector<std::byte> raw;
  try {
    while (const auto frame = frames.next()) {
      frames.decode(*frame, raw);
      append(raw);
    }
  } catch (const CorruptData& damage) {
    if (finished) throw;
    cut_ = damage.what();
  }
}

void EventStream::read_ring(const fs::path& path) {
  const MappedFile file(path);
  RingHeader header;
  const auto bytes = file.bytes();
  if (bytes.size() < format::kRingHeaderBytes) throw CorruptData(path.string(), bytes.size(), "ends inside its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, format::kRingMagic, sizeof header.magic) != 0) {
    throw CorruptData(path.string(), 0, "is not the ring of a recording");
  }
  if (header.version != format::kRecordingVersion) throw CorruptData(path.string(), 8, "has another format version");
  if (header.ring_bytes == 0 || header.ring_bytes != bytes.size() - format::kRingHeaderBytes) {
    throw CorruptData(path.string(), 16, "has not the size that it says");
  }
  // The ring holds the last ring_bytes of the stream; the log's good frames must reach to where it starts.
  if (header.committed <= written_) return;
  if (header.committed - written_ > header.ring_bytes) {
    throw CorruptData(path.string(), 24, "does not continue the log");
  }
  for (uint64_t at = written_; at < header.committed; at = written_) {
    const uint64_t place = at % header.ring_bytes;
    const uint64_t here = std::min(header.committed - at, header.ring_bytes - place);
    append(bytes.subspan(format::kRingHeaderBytes + place, here));
  }
  cut_.clear();
}

void EventStream::check_events(const fs::path& log, bool finished) {
  const std::span<const std::byte> all(memory_, mapped_);
  while (whole_bytes_ < all.size()) {
    uint64_t bytes = 0;
    const std::string wrong = wrong_with_event(all.subspan(whole_bytes_), bytes);
    if (!wrong.empty()) {
      const bool at_end = bytes == 0 && wrong.starts_with("ends");
      if (finished || !at_end) throw CorruptData(log.string(), whole_bytes_, wrong + " (offset in the event stream)");
      cut_ = fmt::format("the last event, at {} of the stream, is not whole", whole_bytes_);
      return;
    }
    whole_bytes_ += bytes;
    ++events_;
  }
}

void EventStream::for_each(const std::function<bool(const EventRef&)>& visit) const {
  for (uint64_t at = 0; at < whole_bytes_;) {
    const EventRef ref = {reinterpret_cast<const Event*>(memory_ + at), at};
    if (!visit(ref)) return;
    at += ref.event->bytes;
  }
}

}  // namespace culprit::recording
