#include "depend/graph_writer.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "depend/input_log.h"

namespace culprit::depend {
namespace {

using namespace format;

template <typename Record>
void append(std::string& bytes, std::span<const Record> records) {
  bytes.append(reinterpret_cast<const char*>(records.data()), records.size_bytes());
}

template <typename Record>
void append(std::string& bytes, const std::vector<Record>& records) {
  append(bytes, std::span<const Record>(records));
}

void pad(std::string& bytes) {
  while (bytes.size() % sizeof(uint64_t) != 0) bytes += '\0';
}

uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// Adds what far sources hold for these; returns where.
uint64_t add_sources(std::vector<uint64_t>& far, std::span<const NodeNumber> sources, bool from_body) {
  const uint64_t at = far.size();
  if (sources.size() != 1) far.push_back(kGraphList | sources.size());
  for (const NodeNumber each : sources) far.push_back(each.bits | (from_body ? kGraphFarFromBody : 0));
  return at;
}

}  // namespace

uint64_t trace_identity(const trace::TraceFile& trace) {
  std::vector<uint64_t> checksums{trace.model().identity(), trace.threads()};
  for (size_t thread = 0; thread < trace.threads(); ++thread) {
    checksums.push_back(trace.chunks_of(thread).size());
    for (const trace::ChunkPlace& chunk : trace.chunks_of(thread)) checksums.push_back(chunk.checksum);
  }
  checksums.insert(checksums.end(), trace.anchors().begin(), trace.anchors().end());
  return XXH3_64bits(checksums.data(), checksums.size() * sizeof(uint64_t));
}

GraphWriter::GraphWriter(const trace::TraceFile& trace, const BlockLayout& layout, const std::filesystem::path& path)
    : trace_(trace), layout_(layout), sections_(trace.model().sections()), path_(path) {
  if (path_.empty()) return;
  file_.open(path_, std::ios::binary | std::ios::trunc);
  write(std::string(sizeof(GraphHeader), '\0'));
}

void GraphWriter::fail() const {
  throw UserError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)),
                  "is there room on the disk?", ExitCode::kEnvironmentLacks);
}

void GraphWriter::write(std::string_view bytes) {
  offset_ += bytes.size();
  if (path_.empty()) return;
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file_) fail();
}

void GraphWriter::add_frame(uint32_t function, uint32_t thread, bool by_native, NodeNumber call) {
  frames_.push_back({call.bits, function, thread | (by_native ? kGraphByNative : 0)});
}

void GraphWriter::begin(OpenExecution& execution, uint32_t block, uint32_t frame) {
  execution.execution = executions();
  execution.block = block;
  execution.first_number = next_number_;
  execution.first_slot = slots_.size();
  execution.chunk = static_cast<uint32_t>(chunks_.size());
  execution.kept.clear();
  if (blocks_.size() % kGraphAnchorExecutions == 0) {
    anchors_.push_back({static_cast<uint32_t>(next_number_ - chunk_number_), static_cast<uint32_t>(slots_.size())});
  }
  blocks_.push_back(block);
  frame_of_.push_back(frame);
  slots_.resize(slots_.size() + layout_.slots[block], kGraphNoNumber);
  next_number_ += layout_.nodes_of(block);
}

void GraphWriter::set(OpenExecution& execution, uint32_t slot, std::span<const NodeNumber> sources) {
  set_raw(execution, slot, sources, false);
}

void GraphWriter::set_return(OpenExecution& execution, uint32_t slot, NodeNumber source) {
  set_raw(execution, slot, std::span(&source, 1), true);
}

void GraphWriter::set_raw(OpenExecution& execution, uint32_t slot, std::span<const NodeNumber> sources,
                          bool from_body) {
  if (slot == kNoSlot) return;
  if (execution.chunk != chunks_.size()) {
    execution.kept[slot].assign(sources.begin(), sources.end());
    late_[{execution.chunk, static_cast<uint32_t>(execution.first_slot) + slot}] =
        add_sources(late_sources_, sources, from_body);
    return;
  }
  uint64_t& raw = slots_[execution.first_slot + slot];
  if (sources.empty()) {
    raw = kGraphNoNumber;
  } else if (sources.size() == 1) {
    raw = sources.front().bits | (from_body ? kGraphFarFromBody : 0);
  } else {
    raw = kGraphList | add_sources(far_, sources, from_body);
  }
}

std::vector<NodeNumber> GraphWriter::sources(const OpenExecution& execution, uint32_t slot) const {
  if (execution.chunk != chunks_.size()) return execution.kept[slot];
  const uint64_t raw = slots_[execution.first_slot + slot];
  if (raw == kGraphNoNumber) return {};
  if ((raw & kGraphList) == 0) return {NodeNumber{raw & ~kGraphFarFromBody}};
  const uint64_t at = raw & ~kGraphList;
  std::vector<NodeNumber> sources;
  for (uint64_t each = 0; each < (far_[at] & ~kGraphList); ++each) sources.push_back({far_[at + 1 + each]});
  return sources;
}

NodeNumber GraphWriter::source_of_operand(const OpenExecution& execution, uint32_t operand) const {
  const uint32_t slot = layout_.operand_slot[operand];
  if (slot != kNoSlot) {
    if (execution.chunk == chunks_.size()) {
      const uint64_t raw = slots_[execution.first_slot + slot];
      return NodeNumber{raw};  // operands have one source
    }
    return execution.kept[slot].empty() ? kNoNumber : execution.kept[slot].front();
  }
  const OperandRecord& record = sections_.operands[operand];
  return record.kind == OperandKind::kOperation ? number(execution, record.value) : kNoNumber;
}

void GraphWriter::write_chunk(std::span<OpenExecution* const> open) {
  for (OpenExecution* each : open) {
    if (each->execution == kNoExecution || each->chunk != chunks_.size()) continue;
    std::vector<std::vector<NodeNumber>> kept;
    for (uint32_t slot = 0; slot < layout_.slots[each->block]; ++slot) {
      kept.push_back(sources(*each, slot));
      if (kept.back().empty()) late_slots_.push_back(each->first_slot + slot);
    }
    each->kept = std::move(kept);
  }
  GraphChunk chunk{};
  chunk.offset = offset_;
  chunk.first_number = chunk_number_;
  chunk.executions = static_cast<uint32_t>(blocks_.size());
  chunk.slots = static_cast<uint32_t>(slots_.size());
  chunk.first_frame = frames_before_;
  chunk.frames = static_cast<uint32_t>(frames_.size());
  const std::string dependences = this->dependences();
  chunk.far = static_cast<uint32_t>(far_.size());
  const std::string counts = this->counts(chunk);
  const std::string frames = frames_part();
  chunk.dependences_checksum = checksum(dependences);
  chunk.counts_checksum = checksum(counts);
  chunk.frames_checksum = checksum(frames);
  write(dependences);
  write(counts);
  write(frames);
  chunks_.push_back(chunk);
  executions_before_ += blocks_.size();
  frames_before_ += static_cast<uint32_t>(frames_.size());
  chunk_number_ = next_number_;
  blocks_.clear();
  frame_of_.clear();
  anchors_.clear();
  slots_.clear();
  far_.clear();
  late_slots_.clear();
  frames_.clear();
}

uint32_t GraphWriter::encode(uint64_t raw, uint64_t first_number) {
  if (raw == kGraphNoNumber) return kGraphNone;
  if ((raw & kGraphList) != 0) return kGraphFar | static_cast<uint32_t>(raw & ~kGraphList);
  const uint64_t distance = (raw & ~kGraphFarFromBody) - first_number + kGraphDistanceBias;
  if (distance < kGraphFromBody) {
    return static_cast<uint32_t>(distance) | ((raw & kGraphFarFromBody) != 0 ? kGraphFromBody : 0);
  }
  far_.push_back(raw);
  return kGraphFar | static_cast<uint32_t>(far_.size() - 1);
}

std::string GraphWriter::dependences() {
  std::vector<uint32_t> slots(slots_.size());
  uint64_t first_number = chunk_number_;
  size_t next = 0;
  for (const uint32_t block : blocks_) {
    const uint64_t bias = kGraphDistanceBias - first_number;
    for (const size_t end = next + layout_.slots[block]; next < end; ++next) {
      const uint64_t distance = slots_[next] + bias;
      const bool near = slots_[next] < kMostNumbers && distance < kGraphFromBody;
      slots[next] = near ? static_cast<uint32_t>(distance) : encode(slots_[next], first_number);
    }
    first_number += layout_.nodes_of(block);
  }
  for (const uint64_t slot : late_slots_) slots[slot] = kGraphLate;
  CULPRIT_ASSERT(far_.size() < kGraphLate - kGraphFar, fmt::format("{} far sources", far_.size()));
  std::string bytes;
  append(bytes, far_);
  append(bytes, anchors_);
  append(bytes, blocks_);
  append(bytes, slots);
  pad(bytes);
  return bytes;
}

std::string GraphWriter::counts(GraphChunk& chunk) const {
  counted_.resize(layout_.slots.size());
  std::vector<uint32_t> executed;
  for (const uint32_t block : blocks_) {
    if (counted_[block]++ == 0) executed.push_back(block);
  }
  std::sort(executed.begin(), executed.end());
  std::vector<GraphCount> counts;
  for (const uint32_t block : executed) counts.push_back({block, std::exchange(counted_[block], 0)});
  chunk.counts = static_cast<uint32_t>(counts.size());
  std::string bytes;
  append(bytes, counts);
  return bytes;
}

std::string GraphWriter::frames_part() const {
  std::string bytes;
  append(bytes, frames_);
  append(bytes, frame_of_);
  pad(bytes);
  return bytes;
}

void GraphWriter::finish(NodeNumber last, std::span<const OutputRuns, kGraphOutputs> outputs, const InputLog& inputs,
                         std::span<const GraphUnwritten> unwritten, std::span<const GraphRace> races,
                         const UnknownCalls& unknown) {
  if (!blocks_.empty() || !frames_.empty()) write_chunk({});
  std::string names;
  for (const auto& [name, count] : unknown) names += fmt::format("{} {}\n", count, name);
  std::vector<GraphLate> late;
  for (const auto& [slot, source] : late_) late.push_back({slot.first, slot.second, source});
  GraphTail tail{};
  tail.chunks = chunks_.size();
  tail.executions = executions_before_;
  tail.numbers = next_number_;
  tail.frames = frames_before_;
  tail.late = late.size();
  tail.late_sources = late_sources_.size();
  tail.last = last.bits;
  tail.unknown_bytes = names.size();
  for (size_t each = 0; each < kGraphOutputs; ++each) tail.outputs[each] = outputs[each].sizes();
  tail.inputs = inputs.entries().size();
  tail.ordinals = inputs.ordinals();
  tail.unwritten = unwritten.size();
  tail.races = races.size();
  std::string bytes;
  append(bytes, std::span<const GraphTail>(&tail, 1));
  append(bytes, chunks_);
  append(bytes, late);
  append(bytes, late_sources_);
  for (const OutputRuns& each : outputs) {
    append(bytes, each.runs());
    append(bytes, each.nodes());
  }
  append(bytes, inputs.entries());
  append(bytes, unwritten);
  append(bytes, races);
  bytes += names;
  GraphHeader header{};
  std::memcpy(header.magic, kGraphMagic, sizeof(header.magic));
  header.version = kGraphVersion;
  header.header_bytes = sizeof(header);
  header.model_identity = trace_.model().identity();
  header.trace_identity = trace_identity(trace_);
  header.tail_offset = offset_;
  header.tail_bytes = bytes.size();
  header.tail_checksum = checksum(bytes);
  write(bytes);
  if (path_.empty()) return;
  file_.seekp(0);
  file_.write(reinterpret_cast<const char*>(&header), sizeof(header));
  file_.close();
  if (!file_) fail();
}

}  // namespace culprit::depend
