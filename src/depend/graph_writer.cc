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
    : trace_(trace), layout_(layout), sections_(trace.model().sections()), file_(path, layout.slots.size()) {}

void GraphWriter::add_frame(uint32_t function, uint32_t thread, bool by_native, NodeNumber call) {
  chunk_.frames.push_back({call.bits, function, thread | (by_native ? kGraphByNative : 0)});
}

void GraphWriter::begin(OpenExecution& execution, uint32_t block, uint32_t frame) {
  execution.execution = executions();
  execution.block = block;
  execution.first_number = next_number_;
  execution.first_slot = chunk_.slots.size();
  execution.chunk = chunks_;
  execution.kept.clear();
  if (chunk_.blocks.size() % kGraphAnchorExecutions == 0) {
    chunk_.anchors.push_back(
        {static_cast<uint32_t>(next_number_ - chunk_.first_number), static_cast<uint32_t>(chunk_.slots.size())});
  }
  chunk_.blocks.push_back(block);
  chunk_.frame_of.push_back(frame);
  chunk_.slots.resize(chunk_.slots.size() + layout_.slots[block], kGraphNone);
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
  if (execution.chunk != chunks_) {
    execution.kept[slot].assign(sources.begin(), sources.end());
    late_[{execution.chunk, static_cast<uint32_t>(execution.first_slot) + slot}] =
        add_sources(late_sources_, sources, from_body);
    return;
  }
  uint32_t& raw = chunk_.slots[execution.first_slot + slot];
  if (sources.empty()) {
    raw = kGraphNone;
  } else if (sources.size() == 1) {
    raw = encode(sources.front().bits | (from_body ? kGraphFarFromBody : 0), execution.first_number);
  } else {
    raw = kGraphFar | static_cast<uint32_t>(add_sources(chunk_.far, sources, from_body));
  }
}

uint32_t GraphWriter::encode(uint64_t raw, uint64_t first_number) {
  if (raw == kGraphNoNumber) return kGraphNone;
  const uint64_t number = raw & ~kGraphFarFromBody, distance = number - first_number + kGraphDistanceBias;
  if (number < kMostNumbers && distance < kGraphFromBody) {
    return static_cast<uint32_t>(distance) | ((raw & kGraphFarFromBody) != 0 ? kGraphFromBody : 0);
  }
  chunk_.far.push_back(raw);
  CULPRIT_ASSERT(chunk_.far.size() < kGraphLate - kGraphFar, fmt::format("{} far sources", chunk_.far.size()));
  return kGraphFar | static_cast<uint32_t>(chunk_.far.size() - 1);
}

std::span<const uint64_t> GraphWriter::decode(const OpenExecution& execution, uint32_t slot, uint64_t& near) const {
  const uint32_t raw = chunk_.slots[execution.first_slot + slot];
  if (raw == kGraphNone) return {};
  if ((raw & kGraphFar) == 0) {
    near = execution.first_number + (raw & ~kGraphFromBody) - kGraphDistanceBias;
    return {&near, 1};
  }
  const std::span<const uint64_t> far = std::span(chunk_.far).subspan(raw & ~kGraphFar);
  if ((far.front() & kGraphList) != 0) return far.subspan(1, far.front() & ~kGraphList);
  near = far.front() & ~kGraphFarFromBody;
  return {&near, 1};
}

std::vector<NodeNumber> GraphWriter::sources(const OpenExecution& execution, uint32_t slot) const {
  if (execution.chunk != chunks_) return execution.kept[slot];
  uint64_t near = 0;
  std::vector<NodeNumber> sources;
  for (const uint64_t each : decode(execution, slot, near)) sources.push_back({each});
  return sources;
}

std::vector<std::vector<NodeNumber>> GraphWriter::all_sources(const OpenExecution& execution) const {
  std::vector<std::vector<NodeNumber>> all;
  for (uint32_t slot = 0; slot < layout_.slots[execution.block]; ++slot) all.push_back(sources(execution, slot));
  return all;
}

NodeNumber GraphWriter::source_of_operand(const OpenExecution& execution, uint32_t operand) const {
  const uint32_t slot = layout_.operand_slot[operand];
  if (slot != kNoSlot) {
    if (execution.chunk != chunks_) return execution.kept[slot].empty() ? kNoNumber : execution.kept[slot].front();
    uint64_t near = 0;
    const std::span<const uint64_t> sources = decode(execution, slot, near);
    return sources.empty() ? kNoNumber : NodeNumber{sources.front()};  // operands have one source
  }
  const OperandRecord& record = sections_.operands[operand];
  return record.kind == OperandKind::kOperation ? number(execution, record.value) : kNoNumber;
}

void GraphWriter::write_chunk(std::span<OpenExecution* const> open) {
  for (OpenExecution* each : open) {
    if (each->execution == kNoExecution || each->chunk != chunks_) continue;
    std::vector<std::vector<NodeNumber>> kept;
    for (uint32_t slot = 0; slot < layout_.slots[each->block]; ++slot) {
      kept.push_back(sources(*each, slot));
      if (kept.back().empty()) chunk_.slots[each->first_slot + slot] = kGraphLate;
    }
    each->kept = std::move(kept);
  }
  executions_before_ += chunk_.blocks.size();
  frames_before_ += static_cast<uint32_t>(chunk_.frames.size());
  ++chunks_;
  file_.write(chunk_);
  chunk_.first_number = next_number_;
  chunk_.first_frame = frames_before_;
}

void GraphWriter::finish(NodeNumber last, std::span<const OutputRuns, kGraphOutputs> outputs, const InputLog& inputs,
                         const Misdeeds& misdeeds, const UnknownCalls& unknown) {
  if (!chunk_.blocks.empty() || !chunk_.frames.empty()) write_chunk({});
  const std::vector<GraphChunk>& chunks = file_.finish();
  std::string names;
  for (const auto& [name, count] : unknown) names += fmt::format("{} {}\n", count, name);
  std::vector<GraphLate> late;
  for (const auto& [slot, source] : late_) late.push_back({slot.first, slot.second, source});
  GraphTail tail{};
  tail.chunks = chunks.size();
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
  tail.unwritten = misdeeds.unwritten.size();
  tail.races = misdeeds.races.size();
  tail.misuses = misdeeds.misuses.size();
  tail.waits = misdeeds.waits.size();
  std::string bytes;
  append(bytes, std::span<const GraphTail>(&tail, 1));
  append(bytes, chunks);
  append(bytes, late);
  append(bytes, late_sources_);
  for (const OutputRuns& each : outputs) {
    append(bytes, each.runs());
    append(bytes, each.nodes());
  }
  append(bytes, inputs.entries());
  append(bytes, misdeeds.unwritten);
  append(bytes, misdeeds.races);
  append(bytes, misdeeds.misuses);
  append(bytes, misdeeds.waits);
  bytes += names;
  GraphHeader header{};
  std::memcpy(header.magic, kGraphMagic, sizeof(header.magic));
  header.version = kGraphVersion;
  header.header_bytes = sizeof(header);
  header.model_identity = trace_.model().identity();
  header.trace_identity = trace_identity(trace_);
  header.tail_offset = file_.offset();
  header.tail_bytes = bytes.size();
  header.tail_checksum = XXH3_64bits(bytes.data(), bytes.size());
  file_.close(bytes, header);
}

}  // namespace culprit::depend
