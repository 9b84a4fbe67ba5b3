// The dynamic dependences of a run: between operations of block executions, data, address and control kept apart.
//
// A graph is kept in a file beside its trace and mapped (graph_file.h), so what a question costs is what it looks at.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "depend/block_layout.h"
#include "depend/byte_range.h"
#include "depend/graph_file.h"
#include "depend/node.h"
#include "program/program_model.h"
#include "trace/trace_file.h"

namespace culprit::depend {

struct Edge {
  Node to;
  EdgeKind kind;
};

struct BlockExecution {
  uint32_t block;
  uint32_t frame;
};

struct Frame {
  uint32_t function;
  uint32_t thread;
  Node call;  ///< that it was entered by; kNoNode for a thread's first
  bool by_native;
};

/// What a program puts out, by the stream's name in the shell's numbers.
enum class OutputStream : uint8_t { kStandardOutput, kStandardError };

/// A block execution in the graph's file.
struct ExecutionPlace {
  const GraphFile::Chunk* chunk = nullptr;
  size_t chunk_number = 0;
  Execution execution = kNoExecution;
  uint32_t block = 0;
  uint64_t first_number = 0;
  uint64_t first_slot = 0;
};

/// All that it returns may throw CorruptData: the file is checked as it is read.
class DependenceGraph {
 public:
  /// Both must stay.
  DependenceGraph(const program::ProgramModel& model, const std::filesystem::path& file);
  DependenceGraph(DependenceGraph&&) noexcept = default;

  /// Of the end of a run only (trace::TraceBeginning): numbers of executions count from there.
  bool begins_late() const { return begins_late_; }
  void set_begins_late(bool late) { begins_late_ = late; }
  /// Branch instances of the main thread that came before, once that is known.
  uint64_t branches_before() const { return branches_before_; }
  void set_branches_before(uint64_t branches) { branches_before_ = branches; }

  const program::ProgramModel& model() const { return model_; }
  const BlockLayout& layout() const { return layout_; }
  const GraphFile& file() const { return file_; }
  Execution executions() const { return static_cast<Execution>(file_.executions()); }
  BlockExecution execution(Execution index) const;
  uint32_t block_of(Execution index) const;
  Frame frame(uint32_t index) const;
  /// As of frame(), without looking for its call.
  uint32_t thread_of_frame(uint32_t index) const;
  uint32_t frames() const { return static_cast<uint32_t>(file_.frames()); }
  /// How often a block was executed.
  uint64_t executions_of(uint32_t block) const;
  /// Its execution number `instance`, from 1, which must exist.
  Execution execution_of(uint32_t block, uint64_t instance) const;

  Node node_of(NodeNumber number) const;
  NodeNumber number_of(Node node) const;

  /// Calls `visit(Edge)` for everything that `node` depends on directly.
  template <typename Visit>
  void for_each_edge(Node node, Visit&& visit) const;

  /// The sources of an operand's value; none for constants.
  template <typename Visit>
  void for_each_source(Node node, uint32_t operand, Visit&& visit) const;

  /// The sources of the memory that an operation reads, or of a call's result.
  template <typename Visit>
  void for_each_memory_source(Node node, Visit&& visit) const;

  /// The same as numbers that say what is read of each (byte_range.h).
  std::vector<NodeNumber> memory_parts(Node node) const;

  /// Whether a call entered a body of the program directly.
  bool enters_body(Node call) const;

  /// Where the run ended, when the trace was cut: the last operation of the thread that went last.
  Node last() const;
  /// Of calls to native code of which nothing is known but their arguments: lines of count and name.
  std::string_view unknown_calls() const { return file_.unknown_calls(); }
  uint64_t output_bytes(OutputStream stream) const { return output(stream).sizes.bytes; }
  /// kNoNode, or the call from which on positions in the output are not known.
  Node output_lost_at(OutputStream stream) const;
  /// What made the byte at `offset`, counted from 0, below output_bytes(); the call that put it out comes last.
  std::vector<Node> output_at(OutputStream stream, uint64_t offset) const;
  /// The same as numbers that say which byte of each source it is (byte_range.h).
  std::vector<NodeNumber> output_parts(OutputStream stream, uint64_t offset) const;
  /// The same as the file has them, bytes of input among them.
  std::span<const uint64_t> output_sources(OutputStream stream, uint64_t offset) const;

  // By places and numbers, for who goes over many nodes.

  ExecutionPlace place_of(Execution execution) const;
  /// Moves `place`, which may be empty, to the execution that holds a number.
  void move_to(ExecutionPlace& place, uint64_t number) const {
    const bool there = place.chunk && number - place.first_number < layout_.nodes_of(place.block);
    if (!there && !move_back_once(place, number)) move_away(place, number);
  }
  /// The node with that number: index of BlockLayout::nodes.
  uint32_t static_node(const ExecutionPlace& place, uint64_t number) const {
    return layout_.first_node[place.block] + static_cast<uint32_t>(number - place.first_number);
  }
  bool entered_body(const ExecutionPlace& place, uint32_t call) const;
  /// All slots of an execution, as the file has them.
  std::span<const uint32_t> slots_of(const ExecutionPlace& place) const {
    const uint32_t count = layout_.slots[place.block];
    const size_t all = place.chunk->slots.size();
    if (place.first_slot > all || count > all - place.first_slot)
      file_.fail(place.chunk_number, "a slot does not exist");
    return place.chunk->slots.subspan(place.first_slot, count);
  }
  /// Calls `visit(number)` for every source in a slot; for a byte of input, the call that read it.
  template <typename Visit>
  void visit_slot(const ExecutionPlace& place, uint32_t slot, Visit&& visit) const;
  /// The same with bytes of input as themselves, and what is read of each source (byte_range.h).
  template <typename Visit>
  void visit_parts(const ExecutionPlace& place, uint32_t slot, Visit&& visit) const;
  /// Without what is read of them.
  template <typename Visit>
  void visit_bytes(const ExecutionPlace& place, uint32_t slot, Visit&& visit) const;
  /// Calls `visit(number, kind)` for what a node depends on beside that on what decided that its block runs.
  template <typename Visit>
  void visit_edges(const ExecutionPlace& place, uint32_t static_node, Visit&& visit) const;

 private:
  const GraphFile::Output& output(OutputStream stream) const { return file_.output(static_cast<size_t>(stream)); }
  uint32_t checked_block(size_t chunk, uint32_t block) const {
    if (block >= layout_.slots.size()) file_.fail(chunk, "a block does not exist");
    return block;
  }
  uint64_t checked_number(const ExecutionPlace& place, uint64_t number) const {
    if (number >= file_.numbers()) file_.fail(place.chunk_number, "a source does not exist");
    return number;
  }
  uint32_t raw_slot(const ExecutionPlace& place, uint32_t slot) const {
    const uint64_t at = place.first_slot + slot;
    if (at >= place.chunk->slots.size()) file_.fail(place.chunk_number, "a slot does not exist");
    return place.chunk->slots[at];
  }
  bool is_in_chunk(const ExecutionPlace& place, uint64_t number) const {
    return place.chunk && number >= place.chunk->first_number && number < place.chunk->end_number;
  }
  /// To the execution before, if that holds the number and is in the same chunk: where walks go most often.
  bool move_back_once(ExecutionPlace& place, uint64_t number) const {
    if (!place.chunk || number >= place.first_number || place.execution == place.chunk->first_execution) return false;
    const uint32_t block =
        checked_block(place.chunk_number, place.chunk->blocks[place.execution - place.chunk->first_execution - 1]);
    const uint64_t first_number = place.first_number - layout_.nodes_of(block);
    if (number < first_number) return false;
    --place.execution;
    place.block = block;
    place.first_number = first_number;
    place.first_slot -= layout_.slots[block];
    return true;
  }
  void move_away(ExecutionPlace& place, uint64_t number) const;
  /// From an execution of a chunk on to the last that begins at or before `number`.
  void walk_to(ExecutionPlace& place, uint64_t number) const;
  void walk_back_to(ExecutionPlace& place, uint64_t number) const;
  void begin_at_anchor(ExecutionPlace& place, size_t chunk, size_t anchor) const;
  void jump_to(ExecutionPlace& place, uint64_t number) const;
  std::span<const uint64_t> far_sources(const ExecutionPlace& place, uint32_t slot, uint32_t raw) const;

  const program::ProgramModel& model_;
  BlockLayout layout_;
  GraphFile file_;
  bool begins_late_ = false;
  uint64_t branches_before_ = 0;
};

/// The graph kept with the trace; made first when there is none that fits. Where nothing can be written beside the
/// trace, it is not kept. Throws CorruptData, UserError.
DependenceGraph open_graph(const trace::TraceFile& trace);
/// Name in the trace's folder.
inline constexpr const char* kGraphFile = "graph";
/// How many bytes open_graph would have to write, about; 0: the graph is there.
uint64_t bytes_to_write(const trace::TraceFile& trace);

template <typename Visit>
void DependenceGraph::visit_parts(const ExecutionPlace& place, uint32_t slot, Visit&& visit) const {
  const uint32_t raw = raw_slot(place, slot);
  if (raw == format::kGraphNone) return;
  if ((raw & format::kGraphFar) == 0) {
    const uint64_t distance = raw & ~format::kGraphFromBody;
    visit(NodeNumber{checked_number(place, place.first_number + distance - format::kGraphDistanceBias)});
    return;
  }
  for (const uint64_t each : far_sources(place, slot, raw)) {
    const NodeNumber source{each & ~format::kGraphFarFromBody};
    const NodeNumber bare = without_piece(source);
    if (!is_input_byte(bare)) checked_number(place, bare.bits);
    visit(source);
  }
}

template <typename Visit>
void DependenceGraph::visit_bytes(const ExecutionPlace& place, uint32_t slot, Visit&& visit) const {
  visit_parts(place, slot, [&](NodeNumber source) { visit(without_piece(source)); });
}

template <typename Visit>
void DependenceGraph::visit_slot(const ExecutionPlace& place, uint32_t slot, Visit&& visit) const {
  visit_bytes(place, slot, [&](NodeNumber source) {
    if (is_input_byte(source)) source = {file_.input_of(ordinal_of(source)).call};
    if (source != kNoNumber) visit(source.bits);
  });
}

template <typename Visit>
void DependenceGraph::visit_edges(const ExecutionPlace& place, uint32_t static_node, Visit&& visit) const {
  const BlockNode& node = layout_.nodes[static_node];
  const bool body = node.is_call && entered_body(place, node.operation & ~Node::kTransferBit);
  for (const StaticEdge& edge : layout_.edges_of(static_node, body)) {
    if (edge.is_slot) {
      visit_slot(place, edge.source, [&](uint64_t number) { visit(number, edge.kind); });
    } else {
      visit(place.first_number + edge.source, edge.kind);
    }
  }
}

template <typename Visit>
void DependenceGraph::for_each_source(Node node, uint32_t operand, Visit&& visit) const {
  const format::OperandRecord& record = model_.sections().operands[operand];
  const uint32_t slot = layout_.operand_slot[operand];
  if (slot != kNoSlot) {
    visit_slot(place_of(node.execution()), slot, [&](uint64_t number) { visit(node_of({number})); });
  } else if (record.kind == format::OperandKind::kOperation) {
    visit(Node::of(node.execution(), record.value));
  }
}

template <typename Visit>
void DependenceGraph::for_each_memory_source(Node node, Visit&& visit) const {
  if (const uint32_t store = layout_.stored_by(node.operation()); store != format::kNone) {
    return visit(Node::of(node.execution(), store));
  }
  const uint32_t slot = layout_.memory_slot[node.operation()];
  // A phi has there what decided on it, which is no source of its value.
  if (slot == kNoSlot || model_.operation(node.operation()).kind == format::OperationKind::kPhi) return;
  visit_slot(place_of(node.execution()), slot, [&](uint64_t number) { visit(node_of({number})); });
}

template <typename Visit>
void DependenceGraph::for_each_edge(Node node, Visit&& visit) const {
  const ExecutionPlace place = place_of(node.execution());
  const uint32_t number = layout_.place[node.operation()] + (node.is_transfer() ? 1 : 0);
  visit_edges(place, layout_.first_node[place.block] + number, [&](uint64_t to, EdgeKind kind) {
    visit(Edge{node_of({to}), kind});
  });
  visit_slot(place, kControlSlot, [&](uint64_t to) { visit(Edge{node_of({to}), EdgeKind::kControl}); });
}

}  // namespace culprit::depend
