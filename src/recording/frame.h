// Frames of a recording's log: the event stream cut into checked, compressed pieces.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/recording_format.h"

namespace culprit::recording {

/// The bytes of a frame (header and contents, compressed when that makes it smaller) for stream bytes at `offset`.
/// `raw` has at most format::kMaximumFrameBytes bytes.
std::vector<std::byte> encode_frame(uint64_t offset, std::span<const std::byte> raw, int zstd_level);

/// A frame as it stands in a log.
struct FramePlace {
  format::FrameHeader header;
  uint64_t at;  ///< of the header in the file
};

/// Walks the frames of a log. Never reads outside `log`, never allocates more than a frame may hold.
class FrameReader {
 public:
  /// `begin`: the stream's byte that the first frame starts with. Throws CorruptData when `log` does not start with a
  /// LogHeader of this version.
  FrameReader(std::filesystem::path path, std::span<const std::byte> log, uint64_t begin = 0);

  /// The next frame's header, or nullopt at the end of the file. Throws CorruptData when what follows is not a whole
  /// frame; position() is then the offset of the first byte that is not part of a good frame.
  std::optional<FramePlace> next();

  /// The raw bytes of a frame that next() returned. Throws CorruptData.
  void decode(const FramePlace& frame, std::vector<std::byte>& to) const;

  uint64_t position() const { return position_; }

 private:
  std::filesystem::path path_;
  std::span<const std::byte> log_;
  uint64_t position_;
  uint64_t stream_offset_;
};

/// The header every log starts with.
format::LogHeader log_header();

}  // namespace culprit::recording
