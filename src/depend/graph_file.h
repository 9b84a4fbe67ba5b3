// Reading a kept dependence graph: mapped, its chunks checked when they are first looked at. Nothing in the file is
// trusted: what is read as an index is compared with what there is.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "depend/block_layout.h"
#include "depend/node.h"
#include "format/graph_format.h"

namespace culprit::depend {

/// Whether the file is a graph of this trace in the version that is read here; false also when there is none.
bool is_graph_of(const std::filesystem::path& file, uint64_t model_identity, uint64_t trace_identity);

class GraphFile {
 public:
  /// What a slice needs of a chunk.
  struct Chunk {
    uint64_t first_number = 0, end_number = 0;
    Execution first_execution = 0;
    std::span<const uint64_t> far;
    std::span<const format::GraphAnchor> anchors;
    std::span<const uint32_t> blocks;  ///< per execution; may be no block of the program
    std::span<const uint32_t> slots;
  };
  struct FrameChunk {
    uint32_t first_frame;
    std::span<const format::GraphFrame> frames;
    std::span<const uint32_t> frame_of;  ///< per execution; may be no frame
  };
  struct Output {
    format::GraphOutput sizes;
    std::span<const format::GraphRun> runs;
    std::span<const uint64_t> nodes;
  };

  /// Checks header and tail. Throws CorruptData.
  explicit GraphFile(const std::filesystem::path& file);

  uint64_t executions() const { return tail_.executions; }
  uint64_t numbers() const { return tail_.numbers; }
  uint64_t frames() const { return tail_.frames; }
  uint64_t last() const { return tail_.last; }
  size_t bytes() const { return file_.bytes().size(); }
  size_t chunks() const { return directory_.size(); }
  const format::GraphChunk& record(size_t chunk) const { return directory_[chunk]; }
  size_t chunk_of_number(uint64_t number) const;
  size_t chunk_of_frame(uint32_t frame) const;

  const Chunk& chunk(size_t number) const { return opened_[number].blocks.empty() ? open(number) : opened_[number]; }
  std::span<const format::GraphCount> counts(size_t chunk) const;
  const FrameChunk& frame_chunk(size_t number) const;

  /// The sources of a late slot, as far sources; none when it was never filled.
  std::optional<uint64_t> late(size_t chunk, uint32_t slot) const;
  std::span<const uint64_t> late_sources() const { return late_sources_; }
  const Output& output(size_t stream) const { return outputs_[stream]; }
  std::string_view unknown_calls() const { return unknown_; }
  std::span<const format::GraphInput> inputs() const { return inputs_; }
  std::span<const format::GraphUnwritten> unwritten() const { return unwritten_; }
  std::span<const format::GraphRace> races() const { return races_; }
  std::span<const format::GraphMisuse> misuses() const { return misuses_; }
  std::span<const format::GraphWait> waits() const { return waits_; }
  uint64_t ordinals() const { return tail_.ordinals; }
  /// The entry that a byte of input belongs to.
  const format::GraphInput& input_of(uint64_t ordinal) const;

  /// The chunk's memory may be used for other things; it is read again when something in it is looked at.
  void release(size_t chunk) const;
  /// Compares every checksum. Throws CorruptData.
  void check_all() const;

  [[noreturn]] void fail(size_t chunk, const char* what) const;
  [[noreturn]] void fail_at(uint64_t offset, const char* what) const;

 private:
  struct Parts {
    uint64_t dependences, counts, frames;  ///< bytes
  };
  static Parts parts_of(const format::GraphChunk& chunk);
  void read_tail(const format::GraphHeader& header);
  void check_directory() const;
  void check_inputs() const;
  const Chunk& open(size_t number) const;
  template <typename Record>
  std::span<const Record> records(uint64_t& offset, uint64_t count, uint64_t end) const;
  void check(uint64_t offset, uint64_t bytes, uint64_t checksum) const;

  MappedFile file_;
  format::GraphTail tail_;
  std::span<const format::GraphChunk> directory_;
  std::span<const format::GraphLate> late_;
  std::span<const uint64_t> late_sources_;
  Output outputs_[format::kGraphOutputs];
  std::string_view unknown_;
  std::span<const format::GraphInput> inputs_;
  std::span<const format::GraphUnwritten> unwritten_;
  std::span<const format::GraphRace> races_;
  std::span<const format::GraphMisuse> misuses_;
  std::span<const format::GraphWait> waits_;
  mutable std::vector<Chunk> opened_;
  mutable std::vector<FrameChunk> opened_frames_;
};

/// Bounds the memory of who walks over a graph: of the chunks that it came by only the latest stay.
class ChunkWindow {
 public:
  explicit ChunkWindow(const GraphFile& file) : file_(file) {}

  void come_to(size_t chunk) {
    if (!latest_.empty() && latest_.back() == chunk) return;
    latest_.push_back(chunk);
    if (latest_.size() <= kMostChunks) return;
    file_.release(latest_.front());
    latest_.pop_front();
  }

 private:
  static constexpr size_t kMostChunks = 512;  // about as many MiB
  const GraphFile& file_;
  std::deque<size_t> latest_;
};

}  // namespace culprit::depend
