// The events of a recording, from a finished one or from what a killed one left behind.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "format/recording_format.h"

namespace culprit::recording {

/// A part of an event; refers to the stream's memory.
struct PartRef {
  format::PartKind kind;
  uint64_t address;
  std::span<const std::byte> bytes;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// An event with its place; refers to the stream's memory.
struct EventRef {
  const format::Event* event;
  uint64_t offset;  ///< in the stream
  std::vector<PartRef> parts() const;
};

/// The whole stream, unpacked into an unlinked temporary file and mapped.
class EventStream {
 public:
  /// Reads `directory`/log and, when it is there, what `directory`/ring holds beyond it. With `finished`, damage at the
  /// log's end is an error; without, the stream ends before it. Every event's structure is checked. Throws CorruptData,
  /// UserError.
  EventStream(const std::filesystem::path& directory, bool finished);
  /// A child's own stream: the first `shared` bytes of its parent's, which end where an event ends, then what
  /// `directory` holds. Its end is never an error: nobody says how it had to be.
  EventStream(const EventStream& parent, uint64_t shared, const std::filesystem::path& directory);
  EventStream(EventStream&& other) noexcept;
  ~EventStream();

  /// Calls `visit` for each event in order until it returns false.
  void for_each(const std::function<bool(const EventRef&)>& visit) const;

  /// All whole events.
  std::span<const std::byte> memory() const { return {memory_, whole_bytes_}; }
  /// Bytes of whole events.
  uint64_t bytes() const { return whole_bytes_; }
  uint64_t events() const { return events_; }
  /// Of the temporary file, cut to bytes(); it belongs to this object.
  int descriptor() const { return descriptor_; }
  /// What was left out at the end, for a recording that was killed; empty when nothing was.
  const std::string& cut() const { return cut_; }

 private:
  void read(const std::filesystem::path& directory, bool finished);
  void append(std::span<const std::byte> bytes);
  void read_log(const std::filesystem::path& log, bool finished);
  void read_ring(const std::filesystem::path& ring);
  void check_events(const std::filesystem::path& log, bool finished);

  int descriptor_ = -1;
  uint64_t written_ = 0;
  uint64_t whole_bytes_ = 0;
  uint64_t events_ = 0;
  const std::byte* memory_ = nullptr;
  uint64_t mapped_ = 0;
  std::string cut_;
};

/// Why the bytes at `at` are not a whole, well-formed event, or empty; `bytes` is set to the event's size when known.
std::string wrong_with_event(std::span<const std::byte> at, uint64_t& bytes);

}  // namespace culprit::recording
