#include "depend/dependence_graph.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "depend/build_graph.h"
#include "depend/graph_writer.h"

namespace culprit::depend {

using namespace format;

namespace {

namespace fs = std::filesystem;

/// Farther back than so many nodes an anchor is looked for.
constexpr uint64_t kMostWalked = 128;

}  // namespace

DependenceGraph::DependenceGraph(const program::ProgramModel& model, const fs::path& file)
    : model_(model), layout_(model), file_(file) {}

// Places.

void DependenceGraph::begin_at_anchor(ExecutionPlace& place, size_t chunk, size_t anchor) const {
  const GraphFile::Chunk& opened = file_.chunk(chunk);
  const size_t index = anchor * kGraphAnchorExecutions;
  place.chunk = &opened;
  place.chunk_number = chunk;
  place.execution = opened.first_execution + static_cast<Execution>(index);
  place.block = checked_block(chunk, opened.blocks[index]);
  place.first_number = opened.first_number + opened.anchors[anchor].number;
  place.first_slot = opened.anchors[anchor].slot;
}

ExecutionPlace DependenceGraph::place_of(Execution execution) const {
  CULPRIT_ASSERT(execution < executions(), fmt::format("execution {}", execution));
  ExecutionPlace place;
  const size_t chunk = execution / kGraphChunkExecutions;
  begin_at_anchor(place, chunk, execution % kGraphChunkExecutions / kGraphAnchorExecutions);
  while (place.execution < execution) {
    place.first_number += layout_.nodes_of(place.block);
    place.first_slot += layout_.slots[place.block];
    ++place.execution;
    place.block = checked_block(chunk, place.chunk->blocks[place.execution - place.chunk->first_execution]);
  }
  return place;
}

void DependenceGraph::jump_to(ExecutionPlace& place, uint64_t number) const {
  const size_t chunk = is_in_chunk(place, number) ? place.chunk_number : file_.chunk_of_number(number);
  const GraphFile::Chunk& opened = file_.chunk(chunk);
  const auto next = std::partition_point(opened.anchors.begin(), opened.anchors.end(), [&](const GraphAnchor& anchor) {
    return opened.first_number + anchor.number <= number;
  });
  if (next == opened.anchors.begin()) file_.fail(chunk, "no execution has a node's number");
  begin_at_anchor(place, chunk, static_cast<size_t>(next - opened.anchors.begin()) - 1);
}

void DependenceGraph::walk_to(ExecutionPlace& place, uint64_t number) const {
  while (number - place.first_number >= layout_.nodes_of(place.block)) {
    const size_t next = place.execution - place.chunk->first_execution + 1;
    if (next >= place.chunk->blocks.size()) file_.fail(place.chunk_number, "no execution has a node's number");
    place.first_number += layout_.nodes_of(place.block);
    place.first_slot += layout_.slots[place.block];
    ++place.execution;
    place.block = checked_block(place.chunk_number, place.chunk->blocks[next]);
  }
}

void DependenceGraph::walk_back_to(ExecutionPlace& place, uint64_t number) const {
  while (number < place.first_number) {
    const size_t index = place.execution - place.chunk->first_execution;
    if (index == 0) file_.fail(place.chunk_number, "no execution has a node's number");
    --place.execution;
    place.block = checked_block(place.chunk_number, place.chunk->blocks[index - 1]);
    place.first_number -= layout_.nodes_of(place.block);
    place.first_slot -= layout_.slots[place.block];
  }
  if (number - place.first_number >= layout_.nodes_of(place.block)) {
    file_.fail(place.chunk_number, "no execution has a node's number");
  }
}

void DependenceGraph::move_away(ExecutionPlace& place, uint64_t number) const {
  if (is_in_chunk(place, number)) {
    if (number < place.first_number && place.first_number - number <= kMostWalked) return walk_back_to(place, number);
    if (number > place.first_number && number - place.first_number <= kMostWalked) return walk_to(place, number);
  }
  jump_to(place, number);
  walk_to(place, number);
}

Node DependenceGraph::node_of(NodeNumber number) const {
  number = without_piece(number);
  if (is_input_byte(number)) number = {file_.input_of(ordinal_of(number)).call};
  if (number == kNoNumber) return kNoNode;
  ExecutionPlace place;
  move_to(place, number.bits);
  return Node::of(place.execution, layout_.nodes[static_node(place, number.bits)].operation);
}

NodeNumber DependenceGraph::number_of(Node node) const {
  const ExecutionPlace place = place_of(node.execution());
  CULPRIT_ASSERT(layout_.block_of[node.operation()] == place.block, fmt::format("node {:#x}", node.bits));
  return {place.first_number + layout_.place[node.operation()] + (node.is_transfer() ? 1 : 0)};
}

std::span<const uint64_t> DependenceGraph::far_sources(const ExecutionPlace& place, uint32_t slot, uint32_t raw) const {
  uint64_t at = raw & ~kGraphFar;
  std::span<const uint64_t> far = place.chunk->far;
  if (raw == kGraphLate) {
    const auto late = file_.late(place.chunk_number, static_cast<uint32_t>(place.first_slot) + slot);
    if (!late) return {};
    at = *late;
    far = file_.late_sources();
  }
  if (at >= far.size()) file_.fail(place.chunk_number, "a far source does not exist");
  if ((far[at] & kGraphList) == 0) return far.subspan(at, 1);
  const uint64_t count = far[at] & ~kGraphList;
  if (count > far.size() - at - 1) file_.fail(place.chunk_number, "a list of sources goes past its end");
  return far.subspan(at + 1, count);
}

// Executions and frames.

uint32_t DependenceGraph::block_of(Execution index) const {
  const size_t chunk = index / kGraphChunkExecutions;
  return checked_block(chunk, file_.chunk(chunk).blocks[index % kGraphChunkExecutions]);
}

BlockExecution DependenceGraph::execution(Execution index) const {
  const size_t chunk = index / kGraphChunkExecutions;
  const uint32_t frame = file_.frame_chunk(chunk).frame_of[index % kGraphChunkExecutions];
  if (frame >= file_.frames()) file_.fail(chunk, "a frame does not exist");
  return {block_of(index), frame};
}

Frame DependenceGraph::frame(uint32_t index) const {
  const size_t chunk = file_.chunk_of_frame(index);
  const GraphFile::FrameChunk& frames = file_.frame_chunk(chunk);
  const GraphFrame& record = frames.frames[index - frames.first_frame];
  if (record.function >= model_.functions().size()) file_.fail(chunk, "a function does not exist");
  return {record.function, record.thread & ~kGraphByNative, node_of({record.call}),
          (record.thread & kGraphByNative) != 0};
}

uint32_t DependenceGraph::thread_of_frame(uint32_t index) const {
  const GraphFile::FrameChunk& frames = file_.frame_chunk(file_.chunk_of_frame(index));
  return frames.frames[index - frames.first_frame].thread & ~kGraphByNative;
}

uint64_t DependenceGraph::executions_of(uint32_t block) const {
  uint64_t executions = 0;
  for (size_t chunk = 0; chunk < file_.chunks(); ++chunk) {
    for (const GraphCount& count : file_.counts(chunk)) {
      if (count.block == block) executions += count.executions;
    }
  }
  return executions;
}

Execution DependenceGraph::execution_of(uint32_t block, uint64_t instance) const {
  for (size_t chunk = 0; chunk < file_.chunks(); ++chunk) {
    for (const GraphCount& count : file_.counts(chunk)) {
      if (count.block != block) continue;
      if (count.executions < instance) {
        instance -= count.executions;
        continue;
      }
      const GraphFile::Chunk& opened = file_.chunk(chunk);
      for (size_t each = 0; each < opened.blocks.size(); ++each) {
        if (opened.blocks[each] == block && --instance == 0) {
          return opened.first_execution + static_cast<Execution>(each);
        }
      }
      file_.fail(chunk, "a block has fewer executions than are counted");
    }
  }
  file_.fail_at(0, "a block has fewer executions than are counted");
}

bool DependenceGraph::entered_body(const ExecutionPlace& place, uint32_t call) const {
  if (model_.operation(call).flags & kOperationEnters) return true;
  const uint32_t slot = layout_.memory_slot[call];
  const uint32_t raw = raw_slot(place, slot);
  if (raw == kGraphNone) return false;
  if ((raw & kGraphFar) == 0) return (raw & kGraphFromBody) != 0;
  const auto sources = far_sources(place, slot, raw);
  return sources.size() == 1 && (sources.front() & kGraphFarFromBody) != 0;
}

std::vector<NodeNumber> DependenceGraph::memory_parts(Node node) const {
  std::vector<NodeNumber> parts;
  if (const uint32_t store = layout_.stored_by(node.operation()); store != kNone) {
    parts.push_back(number_of(Node::of(node.execution(), store)));
    return parts;
  }
  const uint32_t slot = layout_.memory_slot[node.operation()];
  if (slot == kNoSlot || model_.operation(node.operation()).kind == OperationKind::kPhi) return parts;
  visit_parts(place_of(node.execution()), slot, [&](NodeNumber source) { parts.push_back(source); });
  return parts;
}

bool DependenceGraph::enters_body(Node call) const {
  return entered_body(place_of(call.execution()), call.operation());
}

Node DependenceGraph::last() const {
  return node_of({file_.last()});
}

Node DependenceGraph::output_lost_at(OutputStream stream) const {
  return node_of({output(stream).sizes.lost_at});
}

std::vector<Node> DependenceGraph::output_at(OutputStream stream, uint64_t offset) const {
  std::vector<Node> nodes;
  for (const uint64_t each : output_sources(stream, offset)) {
    if (const Node node = node_of({each}); node != kNoNode) nodes.push_back(node);
  }
  return nodes;
}

std::vector<NodeNumber> DependenceGraph::output_parts(OutputStream stream, uint64_t offset) const {
  std::vector<NodeNumber> parts;
  for (const uint64_t each : output_sources(stream, offset)) parts.push_back({each});
  return parts;
}

std::span<const uint64_t> DependenceGraph::output_sources(OutputStream stream, uint64_t offset) const {
  const GraphFile::Output& out = output(stream);
  const auto next = std::partition_point(out.runs.begin(), out.runs.end(),
                                         [&](const GraphRun& run) { return run.first_byte <= offset; });
  const uint64_t end = next == out.runs.end() ? out.nodes.size() : next->first_node;
  const uint64_t first = next == out.runs.begin() ? end : std::prev(next)->first_node;
  if (first > end || end > out.nodes.size()) file_.fail_at(0, "an output's origins do not exist");
  return out.nodes.subspan(first, end - first);
}

// The file.

namespace {

constexpr uint64_t kBytesOfEvents = 20;  // of graph, for one of events: 19 of jq, 22 of a loop around nothing

bool has_graph(const trace::TraceFile& trace, const fs::path& file) {
  return is_graph_of(file, trace.model().identity(), trace_identity(trace));
}

void check_room(const trace::TraceFile& trace, const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  const uint64_t wanted = bytes_to_write(trace);
  if (error || space.available >= wanted) return;
  throw UserError(fmt::format("the dependences of this trace take about {} MiB, and {} are free in {}", wanted >> 20,
                              space.available >> 20, folder.string()),
                  "make room, or look at a part of the run: culprit record, then culprit trace --last 64 RECORDING",
                  ExitCode::kEnvironmentLacks);
}

/// Makes the graph beside its trace. False when that folder cannot be written.
bool keep_graph(const trace::TraceFile& trace, const fs::path& file) {
  if (::access(trace.folder().c_str(), W_OK) != 0) return false;
  check_room(trace, trace.folder());
  const TemporaryDirectory staged(staging_place(file));
  write_graph(trace, staged.path() / kGraphFile);
  fs::rename(staged.path() / kGraphFile, file);
  return true;
}

}  // namespace

uint64_t bytes_to_write(const trace::TraceFile& trace) {
  if (has_graph(trace, trace.folder() / kGraphFile)) return 0;
  uint64_t events = 0;
  for (size_t thread = 0; thread < trace.threads(); ++thread) {
    for (const trace::ChunkPlace& chunk : trace.chunks_of(thread)) events += chunk.plain_bytes;
  }
  return events * kBytesOfEvents;
}

DependenceGraph open_graph(const trace::TraceFile& trace) {
  const auto opened = [&trace](const fs::path& file) {
    DependenceGraph graph(trace.model(), file);
    graph.set_begins_late(trace.beginning() != nullptr);
    return graph;
  };
  const fs::path file = trace.folder() / kGraphFile;
  if (has_graph(trace, file) || keep_graph(trace, file)) return opened(file);
  const TemporaryDirectory folder(temporary_place("graph"));
  check_room(trace, folder.path());
  write_graph(trace, folder.path() / kGraphFile);
  return opened(folder.path() / kGraphFile);  // the mapping outlives the file's name
}

}  // namespace culprit::depend
