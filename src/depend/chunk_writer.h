// The chunks of a dependence graph on their way to its file: checksums are computed and bytes written by a thread of
// its own, while the pass over the trace fills the next chunk.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "format/graph_format.h"

namespace culprit::depend {

/// As format/graph_format.h describes them; `slots` as the file has them.
struct FilledChunk {
  uint64_t first_number = 0;
  uint32_t first_frame = 0;
  std::vector<uint64_t> far;
  std::vector<format::GraphAnchor> anchors;
  std::vector<uint32_t> blocks, slots, frame_of;
  std::vector<format::GraphFrame> frames;

  /// Keeps its memory.
  void clear();
};

/// Whatever it is told may throw UserError: that not all could be written, perhaps of what it was told before.
class ChunkWriter {
 public:
  /// Into `path`, which is made, and removed again when it is not closed; an empty one: nowhere. `blocks`: of the
  /// program.
  ChunkWriter(const std::filesystem::path& path, size_t blocks);
  ~ChunkWriter();
  ChunkWriter(const ChunkWriter&) = delete;

  /// Takes what `chunk` holds and leaves it empty.
  void write(FilledChunk& chunk);
  /// The directory, once all chunks are written; no more may come.
  const std::vector<format::GraphChunk>& finish();
  /// Of the file, behind the chunks.
  uint64_t offset() const { return offset_; }
  /// The rest of the file, and its beginning. After finish().
  void close(std::string_view tail, const format::GraphHeader& header);

 private:
  void run();
  void write_chunk(const FilledChunk& chunk);
  std::vector<format::GraphCount> counts(const FilledChunk& chunk);
  /// Returns the checksum of what the parts hold, one after the other and zeros up to a multiple of 8.
  uint64_t write_parts(std::initializer_list<std::span<const std::byte>> parts);
  void write_bytes(std::span<const std::byte> bytes);
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::ofstream file_;
  bool is_closed_ = false;
  uint64_t offset_ = 0;
  std::vector<format::GraphChunk> written_;
  std::vector<uint32_t> counted_;  ///< per block, zeros between chunks

  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::optional<FilledChunk> waiting_;
  std::vector<FilledChunk> spare_;
  std::exception_ptr failed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace culprit::depend
