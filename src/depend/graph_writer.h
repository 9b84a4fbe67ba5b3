// Writing a dependence graph to its file while the pass over the trace goes on: what memory holds of it is one chunk,
// and of executions that wait for a call in an earlier chunk their slots.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "depend/block_layout.h"
#include "depend/chunk_writer.h"
#include "depend/node.h"
#include "depend/output_runs.h"
#include "format/graph_format.h"
#include "trace/trace_file.h"

namespace culprit::depend {

/// A call to native code of which nothing is known but its arguments.
using UnknownCalls = std::map<std::string, uint64_t>;

class InputLog;

/// Equal for equal traces: what a graph is checked against.
uint64_t trace_identity(const trace::TraceFile& trace);

/// An activation's latest block execution.
struct OpenExecution {
  Execution execution = kNoExecution;
  uint32_t block = format::kNone;
  uint64_t first_number = 0;
  uint64_t first_slot = 0;  ///< in its chunk
  uint32_t chunk = 0;
  std::vector<std::vector<NodeNumber>> kept;  ///< its slots once its chunk is written
};

/// What no program should do and this one did, in order of time.
struct Misdeeds {
  std::span<const format::GraphUnwritten> unwritten;
  std::span<const format::GraphRace> races;
  std::span<const format::GraphMisuse> misuses;
  std::span<const format::GraphWait> waits;  ///< in no order
};

class GraphWriter {
 public:
  /// Writes to `path`; an empty one: nowhere. All must stay. Throws UserError.
  GraphWriter(const trace::TraceFile& trace, const BlockLayout& layout, const std::filesystem::path& path);

  Execution executions() const { return static_cast<Execution>(executions_before_ + chunk_.blocks.size()); }
  /// That the next execution's first node will have.
  uint64_t next_number() const { return next_number_; }
  uint32_t frames() const { return frames_before_ + static_cast<uint32_t>(chunk_.frames.size()); }

  /// Whether there are numbers left for another execution.
  bool has_numbers() const { return next_number_ < format::kGraphMostNumbers - (uint64_t{1} << 32); }

  /// Whether the chunk must be written before another execution begins.
  bool chunk_is_full() const { return chunk_.blocks.size() == format::kGraphChunkExecutions; }
  /// `open`: every activation's latest execution.
  void write_chunk(std::span<OpenExecution* const> open);

  void begin(OpenExecution& execution, uint32_t block, uint32_t frame);
  void add_frame(uint32_t function, uint32_t thread, bool by_native, NodeNumber call);

  NodeNumber number(const OpenExecution& execution, uint32_t operation) const {
    return {execution.first_number + layout_.place[operation]};
  }
  void set(OpenExecution& execution, uint32_t slot, NodeNumber source) {
    static_assert(kNoNumber.bits == format::kGraphNoNumber);
    if (slot == kNoSlot) return;
    if (execution.chunk == chunks_) {
      const uint64_t distance = source.bits - execution.first_number + format::kGraphDistanceBias;
      chunk_.slots[execution.first_slot + slot] = distance < format::kGraphFromBody && source.bits < kMostNumbers
                                                      ? static_cast<uint32_t>(distance)
                                                      : encode(source.bits, execution.first_number);
    } else {
      set_raw(execution, slot, source == kNoNumber ? std::span<const NodeNumber>() : std::span(&source, 1), false);
    }
  }
  void set(OpenExecution& execution, uint32_t slot, std::span<const NodeNumber> sources);
  /// Of a call: the return of the body that it entered.
  void set_return(OpenExecution& execution, uint32_t slot, NodeNumber source);
  std::vector<NodeNumber> sources(const OpenExecution& execution, uint32_t slot) const;
  /// Of all its slots.
  std::vector<std::vector<NodeNumber>> all_sources(const OpenExecution& execution) const;
  /// The source of an operand's value; kNoNumber for constants.
  NodeNumber source_of_operand(const OpenExecution& execution, uint32_t operand) const;

  /// The rest of the file. Throws UserError when not all could be written.
  void finish(NodeNumber last, std::span<const OutputRuns, format::kGraphOutputs> outputs, const InputLog& inputs,
              const Misdeeds& misdeeds, const UnknownCalls& unknown);

 private:
  void set_raw(OpenExecution& execution, uint32_t slot, std::span<const NodeNumber> sources, bool from_body);
  /// A source as a slot of an execution in the chunk that is filled: far where it has to be.
  uint32_t encode(uint64_t raw, uint64_t first_number);
  /// What such a slot holds, as far sources.
  std::span<const uint64_t> decode(const OpenExecution& execution, uint32_t slot, uint64_t& near) const;

  const trace::TraceFile& trace_;
  const BlockLayout& layout_;
  const program::ModelView& sections_;

  uint64_t next_number_ = 0;
  uint32_t chunks_ = 0;             ///< before the one that is filled
  uint64_t executions_before_ = 0;  ///< that chunk
  uint32_t frames_before_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> late_;  ///< by chunk and slot
  std::vector<uint64_t> late_sources_;
  FilledChunk chunk_;
  ChunkWriter file_;
};

}  // namespace culprit::depend
