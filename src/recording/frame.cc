#include "recording/frame.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>

#include "base/error.h"
#include "format/crc32c.h"

namespace culprit::recording {

using format::FrameCodec;
using format::FrameHeader;
using format::LogHeader;

namespace {

uint32_t check_of(FrameHeader header, std::span<const std::byte> stored) {
  header.check = 0;
  return format::crc32c(format::crc32c(0, &header, sizeof header), stored.data(), stored.size());
}

}  // namespace

LogHeader log_header() {
  LogHeader header = {};
  std::memcpy(header.magic, format::kLogMagic, sizeof header.magic);
  header.version = format::kRecordingVersion;
  header.header_bytes = sizeof header;
  return header;
}

std::vector<std::byte> encode_frame(uint64_t offset, std::span<const std::byte> raw, int zstd_level) {
  CULPRIT_ASSERT(!raw.empty() && raw.size() <= format::kMaximumFrameBytes, fmt::format("{} bytes", raw.size()));
  std::vector<std::byte> frame(sizeof(FrameHeader) + ZSTD_compressBound(raw.size()));
  FrameHeader header = {format::kFrameMagic,
                        static_cast<uint32_t>(FrameCodec::kZstd),
                        offset,
                        static_cast<uint32_t>(raw.size()),
                        0,
                        0,
                        0};
  const size_t compressed =
      ZSTD_compress(frame.data() + sizeof header, frame.size() - sizeof header, raw.data(), raw.size(), zstd_level);
  if (!ZSTD_isError(compressed) && compressed < raw.size()) {
    header.stored_bytes = static_cast<uint32_t>(compressed);
  } else {
    header.codec = static_cast<uint32_t>(FrameCodec::kStored);
    header.stored_bytes = header.raw_bytes;
    std::memcpy(frame.data() + sizeof header, raw.data(), raw.size());
  }
  frame.resize(sizeof header + header.stored_bytes);
  header.check = check_of(header, std::span(frame).subspan(sizeof header));
  std::memcpy(frame.data(), &header, sizeof header);
  return frame;
}

FrameReader::FrameReader(std::filesystem::path path, std::span<const std::byte> log, uint64_t begin)
    : path_(std::move(path)), log_(log), position_(sizeof(LogHeader)), stream_offset_(begin) {
  const LogHeader expected = log_header();
  if (log.size() < sizeof expected || std::memcmp(log.data(), expected.magic, sizeof expected.magic) != 0) {
    throw CorruptData(path_.string(), 0, "is not the log of a recording");
  }
  LogHeader found;
  std::memcpy(&found, log.data(), sizeof found);
  if (found.version != expected.version || found.header_bytes != expected.header_bytes) {
    throw CorruptData(path_.string(), 8,
                      fmt::format("has format version {}, this Culprit reads {}", found.version, expected.version));
  }
}

std::optional<FramePlace> FrameReader::next() {
  if (position_ == log_.size()) return std::nullopt;
  FrameHeader header;
  const auto corrupt = [this](const std::string& what) -> CorruptData { return {path_.string(), position_, what}; };
  if (log_.size() - position_ < sizeof header) throw corrupt("ends inside a frame's header");
  std::memcpy(&header, log_.data() + position_, sizeof header);
  if (header.magic != format::kFrameMagic) throw corrupt("holds no frame here");
  if (header.raw_bytes == 0 || header.raw_bytes > format::kMaximumFrameBytes)
    throw corrupt("holds a frame of a wrong size");
  if (header.stored_bytes > log_.size() - position_ - sizeof header) throw corrupt("ends inside a frame");
  if (header.stream_offset != stream_offset_) throw corrupt("lacks frames before this one");
  if (header.check != check_of(header, log_.subspan(position_ + sizeof header, header.stored_bytes))) {
    throw corrupt("holds a frame whose check does not fit");
  }
  const FramePlace place = {header, position_};
  position_ += sizeof header + header.stored_bytes;
  stream_offset_ += header.raw_bytes;
  return place;
}

void FrameReader::decode(const FramePlace& frame, std::vector<std::byte>& to) const {
  const auto stored = log_.subspan(frame.at + sizeof(FrameHeader), frame.header.stored_bytes);
  to.resize(frame.header.raw_bytes);
  switch (static_cast<FrameCodec>(frame.header.codec)) {
    case FrameCodec::kStored:
      if (stored.size() != to.size()) break;
      std::memcpy(to.data(), stored.data(), stored.size());
      return;
    case FrameCodec::kZstd:
      if (ZSTD_decompress(to.data(), to.size(), stored.data(), stored.size()) == to.size()) return;
      break;
  }
  throw CorruptData(path_.string(), frame.at, "holds a frame that cannot be unpacked");
}

}  // namespace culprit::recording
