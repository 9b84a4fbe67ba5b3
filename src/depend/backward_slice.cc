// A backward slice goes once over what it holds, latest first: nearly all dependences lead back in time, so what it
// looks at lies near what it looked at before. Those on results of calls lead forward; what waits is ordered, so the
// walk goes there and comes back.
//
// What a node of a block depends on within the block, and which of the block's slots it so reaches, is the same in
// every execution: it is computed once a block, as bits, and an execution costs what leads into it and out of it. Of
// blocks of more than 64 nodes or slots these are rows of words; very large ones are walked node by node.
//
// Of values that were read as parts of wider ones (byte_range.h) only those bytes are followed, as long as they are
// copied: such nodes wait with a mask of their bytes. They are few, and each is walked by itself.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "depend/slice.h"

namespace culprit::depend {
namespace {

using format::OperationKind;

class BackwardSlicer {
 public:
  BackwardSlicer(const DependenceGraph& graph, const SliceOptions& options)
      : graph_(graph),
        layout_(graph.layout()),
        options_(options),
        bound_(graph.file().numbers()),
        slice_(bound_),
        open_(bound_),
        open_parts_(bound_),
        blocks_(layout_.slots.size()),
        reached_(layout_.nodes.size()),
        window_(graph.file()) {}

  Slice slice(const std::vector<Node>& criterion) {
    for (const Node node : criterion) {
      if (node != kNoNode) open_.insert(graph_.number_of(node).bits);
    }
    while (true) {
      const std::optional<uint64_t> number = open_.largest(), part = open_parts_.largest();
      if (part && (!number || *part > *number)) {
        take_part(*part);
        continue;
      }
      if (!number) break;
      graph_.move_to(place_, *number);
      window_.come_to(place_.chunk_number);
      BlockPlan& plan = blocks_[place_.block];
      if (plan.kind == BlockPlan::kUnknown) prepare(plan, place_.block);
      if (plan.kind == BlockPlan::kBits) {
        take_execution(plan);
      } else if (plan.kind == BlockPlan::kRows) {
        take_rows(plan);
      } else {
        take_node(*number);
      }
    }
    for (const auto& [node, part] : parts_) {
      if (part.done != 0) slice_.insert(node);
    }
    return std::move(slice_);
  }

 private:
  struct BlockPlan {
    enum Kind : uint8_t { kUnknown, kBits, kRows, kNodes } kind = kUnknown;
    uint64_t calls = 0;      ///< places of calls of which only the execution tells what they depend on
    uint32_t first_row = 0;  ///< kRows: index of `rows_`; of each node a row of words for nodes and then for slots
    uint32_t node_words = 0, slot_words = 0;
    std::vector<uint32_t> row_calls{};  ///< kRows: `calls`, descending
    uint32_t row_words() const { return node_words + slot_words; }
  };
  static constexpr uint32_t kMostWords = 32;
  /// What a node reaches within its block, itself included.
  struct Reached {
    uint64_t nodes = 0;
    uint64_t slots = 0;
  };

  /// Of a value, bytes as bits.
  using Bytes = uint32_t;
  static_assert(kMostPieceBytes == 32);
  struct Part {
    Bytes wanted = 0;
    Bytes done = 0;
  };

  bool is_pruned(const BlockNode& node) const {
    return options_.prune && options_.prune(node.operation & ~Node::kTransferBit);
  }

  void prepare(BlockPlan& plan, uint32_t block) {
    const uint32_t first = layout_.first_node[block];
    const uint32_t count = layout_.nodes_of(block);
    const uint32_t larger = std::max(count, layout_.slots[block]);
    plan.kind = larger <= 64 ? BlockPlan::kBits : larger <= 64 * kMostWords ? BlockPlan::kRows : BlockPlan::kNodes;
    if (plan.kind == BlockPlan::kRows) prepare_rows(plan, block);
    if (plan.kind != BlockPlan::kBits) return;
    for (uint32_t place = 0; place < count; ++place) {
      const BlockNode& node = layout_.nodes[first + place];
      Reached& reached = reached_[first + place];
      if (is_pruned(node)) continue;
      reached.nodes = uint64_t{1} << place;
      const uint32_t operation = node.operation & ~Node::kTransferBit;
      // The same bit means other things for other operations.
      const bool enters = node.is_call && (graph_.model().operation(operation).flags & format::kOperationEnters) != 0;
      if (node.is_call && !enters) {
        plan.calls |= reached.nodes;
      } else {
        follow(first, layout_.edges_of(first + place, enters), reached);
      }
    }
  }

  void prepare_rows(BlockPlan& plan, uint32_t block) {
    const uint32_t first = layout_.first_node[block];
    const uint32_t count = layout_.nodes_of(block);
    plan.node_words = (count + 63) / 64;
    plan.slot_words = (layout_.slots[block] + 63) / 64;
    plan.first_row = static_cast<uint32_t>(rows_.size());
    rows_.resize(rows_.size() + size_t{count} * plan.row_words());
    for (uint32_t place = 0; place < count; ++place) {
      const BlockNode& node = layout_.nodes[first + place];
      if (is_pruned(node)) continue;
      const std::span<uint64_t> row = row_of(plan, place);
      row[place / 64] |= uint64_t{1} << (place % 64);
      const uint32_t operation = node.operation & ~Node::kTransferBit;
      const bool enters = node.is_call && (graph_.model().operation(operation).flags & format::kOperationEnters) != 0;
      if (node.is_call && !enters) {
        plan.row_calls.push_back(place);
      } else {
        follow_rows(plan, layout_.edges_of(first + place, enters), row);
      }
    }
    std::reverse(plan.row_calls.begin(), plan.row_calls.end());
  }

  std::span<uint64_t> row_of(const BlockPlan& plan, uint32_t place) {
    return std::span(rows_).subspan(plan.first_row + size_t{place} * plan.row_words(), plan.row_words());
  }

  void follow_rows(const BlockPlan& plan, std::span<const StaticEdge> edges, std::span<uint64_t> reached) {
    for (const StaticEdge& edge : edges) {
      if (!is_wanted(edge.kind, options_)) continue;
      if (edge.is_slot) {
        reached[plan.node_words + edge.source / 64] |= uint64_t{1} << (edge.source % 64);
      } else {
        add_row(row_of(plan, edge.source), reached);
      }
    }
  }

  static void add_row(std::span<const uint64_t> row, std::span<uint64_t> reached) {
    for (size_t word = 0; word < row.size(); ++word) reached[word] |= row[word];
  }

  void follow(uint32_t first, std::span<const StaticEdge> edges, Reached& reached) const {
    for (const StaticEdge& edge : edges) {
      if (!is_wanted(edge.kind, options_)) continue;
      if (edge.is_slot) {
        reached.slots |= uint64_t{1} << edge.source;
      } else {
        reached.nodes |= reached_[first + edge.source].nodes;
        reached.slots |= reached_[first + edge.source].slots;
      }
    }
  }

  void take_execution(const BlockPlan& plan) {
    const uint32_t first = layout_.first_node[place_.block];
    const uint32_t count = layout_.nodes_of(place_.block);
    Reached reached;
    // The last first: what it reaches need not be looked at.
    for (uint64_t open = open_.take_range(place_.first_number, count); open != 0; open &= ~reached.nodes) {
      const auto place = 63 - static_cast<uint32_t>(std::countl_zero(open));
      open &= ~(uint64_t{1} << place);
      const Reached& each = reached_[first + place];
      reached.nodes |= each.nodes;
      reached.slots |= each.slots;
    }
    if (plan.calls != 0) follow_calls(plan.calls, first, reached);
    if (reached.nodes == 0) return;
    const bool is_first = slice_.range(place_.first_number, count) == 0;
    slice_.insert_range(place_.first_number, reached.nodes);
    if (options_.control && is_first) reached.slots |= uint64_t{1} << kControlSlot;
    reach_slots(reached.slots, 0);
  }

  void take_rows(const BlockPlan& plan) {
    const uint32_t first = layout_.first_node[place_.block];
    const uint32_t count = layout_.nodes_of(place_.block);
    std::array<uint64_t, 2 * kMostWords> words{};
    const std::span<uint64_t> reached = std::span(words).first(plan.row_words());
    for (uint32_t word = plan.node_words; word-- > 0;) {
      const uint32_t bits = std::min(count - word * 64, 64u);
      for (uint64_t open = open_.take_range(place_.first_number + word * 64, bits); open != 0; open &= ~reached[word]) {
        const auto bit = 63 - static_cast<uint32_t>(std::countl_zero(open));
        open &= ~(uint64_t{1} << bit);
        add_row(row_of(plan, word * 64 + bit), reached);
      }
    }
    for (const uint32_t call : plan.row_calls) {
      if ((reached[call / 64] >> (call % 64) & 1) == 0) continue;
      const uint32_t node = first + call;
      follow_rows(plan, layout_.edges_of(node, graph_.entered_body(place_, operation_of(node))), reached);
    }
    bool is_first = true, is_any = false;
    for (uint32_t word = 0; word < plan.node_words; ++word) {
      if (reached[word] == 0) continue;
      is_any = true;
      const uint64_t number = place_.first_number + word * 64;
      is_first = is_first && slice_.range(number, std::min(count - word * 64, 64u)) == 0;
      slice_.insert_range(number, reached[word]);
    }
    if (!is_any) return;
    if (options_.control && is_first) reached[plan.node_words] |= uint64_t{1} << kControlSlot;
    for (uint32_t word = 0; word < plan.slot_words; ++word) reach_slots(reached[plan.node_words + word], word * 64);
  }

  /// As DependenceGraph::visit_slot for each; what is the same for all is looked at once, since most of a slice's time
  /// goes here.
  void reach_slots(uint64_t slots, uint32_t first) {
    if (slots == 0) return;
    const std::span<const uint32_t> raw = graph_.slots_of(place_);
    const uint64_t bias = place_.first_number - format::kGraphDistanceBias;
    for (; slots != 0; slots &= slots - 1) {
      const auto slot = first + static_cast<uint32_t>(std::countr_zero(slots));
      if ((raw[slot] & format::kGraphFar) != 0) {
        reach_slot(slot);
        continue;
      }
      const uint64_t number = bias + (raw[slot] & ~format::kGraphFromBody);
      if (number >= bound_) {
        reach_slot(slot);  // which says what is wrong
        continue;
      }
      reach(number);
    }
  }

  void follow_calls(uint64_t calls, uint32_t first, Reached& reached) const {
    for (uint64_t done = 0;;) {
      const uint64_t next = reached.nodes & calls & ~done;
      if (next == 0) return;
      done |= next & -next;
      const uint32_t node = first + static_cast<uint32_t>(std::countr_zero(next));
      follow(first, layout_.edges_of(node, graph_.entered_body(place_, operation_of(node))), reached);
    }
  }

  uint32_t operation_of(uint32_t node) const { return layout_.nodes[node].operation & ~Node::kTransferBit; }

  void take_node(uint64_t number) {
    open_.take_range(number, 1);
    const uint32_t node = graph_.static_node(place_, number);
    if (is_pruned(layout_.nodes[node])) return;
    slice_.insert(number);
    const bool body = layout_.nodes[node].is_call && graph_.entered_body(place_, operation_of(node));
    for (const StaticEdge& edge : layout_.edges_of(node, body)) {
      if (!is_wanted(edge.kind, options_)) continue;
      edge.is_slot ? reach_slot(edge.source) : reach(place_.first_number + edge.source);
    }
    if (options_.control) reach_slot(kControlSlot);
  }

  void reach_slot(uint32_t slot) { reach_slot(slot, ~Bytes{0}); }

  /// Of what the slot's sources give, these bytes.
  void reach_slot(uint32_t slot, Bytes wanted) {
    graph_.visit_parts(place_, slot, [&](NodeNumber source) {
      const ByteRange at = bytes_of_reader(source);
      const bool is_part = at != ByteRange{};
      const Bytes read = is_part ? wanted & mask(at) : wanted;
      if (read == 0) return;
      const ByteRange from = range_in_source(source, at);
      source = without_piece(source);
      if (is_input_byte(source)) source = {graph_.file().input_of(ordinal_of(source)).call};
      if (source == kNoNumber) return;
      const bool all = is_part ? from == ByteRange{} : wanted == ~Bytes{0};
      if (all) return reach(source.bits);
      reach_part(source.bits, is_part ? read >> at.first << from.first : read);
    });
  }

  static Bytes mask(ByteRange bytes) {
    const uint32_t count = std::min(bytes.end, kMostPieceBytes) - bytes.first;
    return (~Bytes{0} >> (kMostPieceBytes - count)) << bytes.first;
  }

  void reach_part(uint64_t number, Bytes bytes) {
    if (bytes == 0 || slice_.contains(number)) return;
    Part& part = parts_[number];
    if ((bytes & ~part.wanted) == 0) return;
    part.wanted |= bytes;
    open_parts_.insert(number);
  }

  /// What a node's value has from bytes of others, if it copies them; else all of it matters.
  void take_part(uint64_t number) {
    open_parts_.take_range(number, 1);
    if (slice_.contains(number)) return;
    Part& part = parts_[number];
    const Bytes bytes = part.wanted & ~part.done;
    graph_.move_to(place_, number);
    window_.come_to(place_.chunk_number);
    const BlockNode& node = layout_.nodes[graph_.static_node(place_, number)];
    const uint32_t operation = node.operation & ~Node::kTransferBit;
    if (is_pruned(node)) return;
    const bool first = part.done == 0;
    part.done = part.wanted;
    if (!copies_bytes(node, operation)) {
      part = {};
      return reach(number);
    }
    const auto& sections = graph_.model().sections();
    const format::OperationRecord& record = sections.operations[operation];
    const Bytes of_operand = record.kind == OperationKind::kCopy ? through_copy(record, bytes) : bytes;
    if (options_.data) {
      if (has_operand(record.kind)) reach_operand(record.first_operand, of_operand);
      if (!has_operand(record.kind)) reach_memory(operation, bytes);
    }
    if (!first) return;
    if (options_.control) reach_slot(kControlSlot);
    if (record.kind == OperationKind::kPhi) {
      if (options_.control) reach_slot(layout_.memory_slot[operation]);
      return;
    }
    // Arguments go to where the callee uses them.
    const auto role =
        record.kind == OperationKind::kCall ? format::OperandRole::kCallee : format::OperandRole::kAddress;
    const uint32_t end = sections.operations[operation + 1].first_operand;
    for (uint32_t each = record.first_operand; options_.address && each < end; ++each) {
      if (sections.operands[each].role == role) reach_operand(each, ~Bytes{0});
    }
  }

  static bool has_operand(OperationKind kind) { return kind != OperationKind::kLoad && kind != OperationKind::kCall; }

  bool copies_bytes(const BlockNode& node, uint32_t operation) const {
    const format::OperationRecord& record = graph_.model().operation(operation);
    const auto accesses = graph_.model().accesses_of(operation);
    switch (record.kind) {
      case OperationKind::kLoad:
        return (layout_.memory_slot[operation] != kNoSlot || layout_.stored_by(operation) != format::kNone) &&
               !accesses.empty() && accesses.front().bytes <= kMostPieceBytes;
      case OperationKind::kStore:
        return !accesses.empty() && accesses.front().bytes < kMostPieceBytes;
      case OperationKind::kCopy:
        return record.detail != format::kNone && record.detail + record.bytes <= kMostPieceBytes;
      case OperationKind::kPhi:
      case OperationKind::kReturn:
        return graph_.model().sections().operations[operation + 1].first_operand > record.first_operand;
      case OperationKind::kCall:
        return (node.operation & Node::kTransferBit) == 0 && graph_.entered_body(place_, operation);
      default:
        return false;
    }
  }

  /// Bytes that are no copies may repeat the sign, which is in the last one that is.
  static Bytes through_copy(const format::OperationRecord& record, Bytes bytes) {
    if (record.bytes == 0) return 0;
    const Bytes copied = mask({0, record.bytes});
    const Bytes sign = (bytes & ~copied) != 0 ? Bytes{1} << (record.bytes - 1) : 0;
    return ((bytes & copied) | sign) << record.detail;
  }

  void reach_operand(uint32_t operand, Bytes bytes) {
    const format::OperandRecord& record = graph_.model().sections().operands[operand];
    if (layout_.operand_slot[operand] != kNoSlot) return reach_slot(layout_.operand_slot[operand], bytes);
    if (record.kind != format::OperandKind::kOperation || bytes == 0) return;
    reach_node(place_.first_number + layout_.place[record.value], bytes);
  }

  void reach_memory(uint32_t operation, Bytes bytes) {
    const uint32_t store = layout_.stored_by(operation);
    store == format::kNone ? reach_slot(layout_.memory_slot[operation], bytes)
                           : reach_node(place_.first_number + layout_.place[store], bytes);
  }

  void reach_node(uint64_t number, Bytes bytes) { bytes == ~Bytes{0} ? reach(number) : reach_part(number, bytes); }

  void reach(uint64_t number) {
    if (!slice_.contains(number)) open_.insert(number);
  }

  const DependenceGraph& graph_;
  const BlockLayout& layout_;
  const SliceOptions& options_;
  uint64_t bound_;
  Slice slice_;
  LargestFirst open_;
  LargestFirst open_parts_;
  std::unordered_map<uint64_t, Part> parts_;  ///< of nodes not all of whose value matters, or not yet
  std::vector<BlockPlan> blocks_;
  std::vector<Reached> reached_;  ///< by index of BlockLayout::nodes
  std::vector<uint64_t> rows_;
  ExecutionPlace place_;
  ChunkWindow window_;
};

}  // namespace

Slice backward_slice(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options) {
  return BackwardSlicer(graph, options).slice(criterion);
}

}  // namespace culprit::depend
