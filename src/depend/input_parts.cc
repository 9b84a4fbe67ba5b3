#include "depend/input_parts.h"

#include <algorithm>

namespace culprit::depend {

using namespace format;

InputParts::InputParts(const DependenceGraph& graph)
    : graph_(graph),
      model_(graph.model()),
      layout_(graph.layout()),
      traits_(graph.model()),
      block_calls_(graph.layout().slots.size()),
      block_varies_(graph.layout().slots.size()),
      results_(graph.file().numbers() + 1),
      makers_(graph.file().numbers() + 1),
      is_marked_(graph.file().chunks()) {
  for (const GraphInput& each : graph.file().inputs()) {
    const bool is_value = each.bytes > 0 && each.detail == 1 && each.kind <= GraphInputKind::kUnplaced &&
                          each.kind != GraphInputKind::kConverted;
    if (is_value) read_by_.emplace(each.call, each.first);
    if (each.bytes > 0 && each.call != kGraphNoNumber) readers_.insert(each.call);
  }
  const auto nodes = static_cast<uint32_t>(layout_.nodes.size() - 1);
  for (uint32_t node = 0; node < nodes; ++node) compile(node);
  for (size_t block = 0; block < block_calls_.size(); ++block) {
    for (uint32_t node = layout_.first_node[block]; node < layout_.first_node[block + 1]; ++node) {
      if (layout_.nodes[node].is_call) block_calls_[block] = 1;
      if ((kinds_[node] & (kSwitches | kCompares)) != 0) block_varies_[block] = 1;
    }
  }
}

// Compiling.

uint8_t InputParts::kinds_of(const BlockNode& node) const {
  const uint32_t operation = node.operation & ~Node::kTransferBit;
  if (node.is_call) return (node.operation & Node::kTransferBit) != 0 ? kTransfers : kCalls;
  const auto operands = model_.operands_of(operation);
  const auto edges = model_.edges_of(layout_.block_of[operation]);
  const auto is_case = [&](uint32_t edge) { return model_.edge_kind(edge) == format::EdgeKind::kCase; };
  uint8_t kinds = traits_[operation].branch != kNone ? kCompares : 0;
  switch (model_.operation(operation).kind) {
    case OperationKind::kStore:
      if (!operands.empty() && operands.front().kind == OperandKind::kConstant) kinds |= kMaps;
      break;
    case OperationKind::kBranch:
      if (std::any_of(edges.begin(), edges.end(), is_case)) kinds |= kSwitches;
      break;
    default:
      break;
  }
  return kinds;
}

void InputParts::compile(uint32_t node) {
  const BlockNode& record = layout_.nodes[node];
  const uint32_t operation = record.operation & ~Node::kTransferBit;
  kinds_.push_back(kinds_of(record));
  if (record.is_call) {
    first_.push_back({static_cast<uint32_t>(calls_.size()), 0});
    std::array<uint32_t, kVariants + 1> variants{};
    for (uint8_t variant = 0; variant < kVariants; ++variant) {
      variants[variant] = static_cast<uint32_t>(parts_.size());
      if ((record.operation & Node::kTransferBit) != 0) {
        compile_transfer(operation, static_cast<Variant>(variant));
      } else {
        compile_call(operation, static_cast<Variant>(variant));
      }
    }
    variants[kVariants] = static_cast<uint32_t>(parts_.size());
    calls_.push_back(variants);
    return;
  }
  const auto first = static_cast<uint32_t>(parts_.size());
  const uint8_t flags = model_.operation(operation).flags;
  switch (model_.operation(operation).kind) {
    case OperationKind::kLoad:
      add_operands(operation, InputWay::kPrecise);
      add_memory(operation, InputWay::kPrecise, true);
      break;
    case OperationKind::kCopy:
    case OperationKind::kStep:
      add_operands(operation, InputWay::kPrecise);
      break;
    case OperationKind::kCompute:
      add_operands(operation, (flags & kOperationNegates) != 0 ? InputWay::kPrecise : InputWay::kWeak);
      break;
    case OperationKind::kChoice:
      add_operands(operation, InputWay::kWeak);
      break;
    case OperationKind::kPhi:
      add_operands(operation, InputWay::kPrecise);
      add_memory(operation, InputWay::kControl);
      break;
    case OperationKind::kBranch:
      // Conditions have been weighed where they were computed.
      add_operands(operation, (kinds_.back() & kSwitches) != 0 ? InputWay::kWeak : InputWay::kPrecise);
      add_control(InputWay::kControl);
      break;
    case OperationKind::kStore:
    case OperationKind::kSetMemory:
    case OperationKind::kStartVariadic:
    case OperationKind::kReturn:
      add_operands(operation, InputWay::kPrecise);
      add_control(stores_copy(operation) ? InputWay::kControl : InputWay::kWeakControl);
      break;
    case OperationKind::kCopyMemory:
      add_operands(operation, InputWay::kPrecise);
      add_control(InputWay::kControl);
      break;
    case OperationKind::kUpdate:
      add_operands(operation, InputWay::kWeak);
      add_memory(operation, InputWay::kWeak);
      add_control(InputWay::kWeakControl);
      break;
    case OperationKind::kCall:
      break;
    case OperationKind::kLandingPad:
    case OperationKind::kUnwind:
      add_operands(operation, InputWay::kWeak);
      add_control(InputWay::kWeakControl);
      break;
  }
  first_.push_back({first, static_cast<uint32_t>(parts_.size())});
}

/// That a call was made, and where.
void InputParts::compile_transfer(uint32_t operation, Variant variant) {
  if (variant == kEntered) {
    // Between the caller's predicate and the callee's statements it does nothing of its own.
    add_control(InputWay::kPrecise);
    return add_operands_of(
        operation, [](OperandRole role) { return role == OperandRole::kCallee; }, InputWay::kAddress);
  }
  add_operands_of(
      operation, [](OperandRole role) { return role != OperandRole::kData; }, InputWay::kAddress);
  add_control(InputWay::kControl);
}

void InputParts::compile_call(uint32_t operation, Variant variant) {
  if (variant == kEntered) return add_memory(operation, InputWay::kPrecise);
  if (variant == kReader) {
    // Descriptor, stream and size choose what is read.
    add_operands(operation, InputWay::kAddress);
    return add_control(InputWay::kControl);
  }
  const InputWay way = traits_[operation].keeps_strength ? InputWay::kPrecise : InputWay::kWeak;
  add_operands(operation, way);
  add_memory(operation, way);
  add_control(InputWay::kWeakControl);
}

void InputParts::add_operands(uint32_t operation, InputWay way) {
  add_operands_of(
      operation, [](OperandRole) { return true; }, way);
}

template <typename Wanted>
void InputParts::add_operands_of(uint32_t operation, Wanted&& wanted, InputWay way) {
  const OperationRecord& record = model_.operation(operation);
  const uint32_t end = model_.sections().operations[operation + 1].first_operand;
  for (uint32_t each = record.first_operand; each < end; ++each) {
    const OperandRecord& operand = model_.sections().operands[each];
    if (!wanted(operand.role)) continue;
    const bool address = operand.role == OperandRole::kAddress || operand.role == OperandRole::kCallee;
    const InputWay by = address                                 ? InputWay::kAddress
                        : operand.role == OperandRole::kChooses ? InputWay::kWeakControl
                                                                : way;
    if (const uint32_t slot = layout_.operand_slot[each]; slot != kNoSlot) {
      parts_.push_back({slot, by, true, false});
    } else if (operand.kind == OperandKind::kOperation) {
      parts_.push_back({layout_.place[operand.value], by, false, false});
    }
    if (record.kind == OperationKind::kPhi) break;  // all of them share one slot
  }
}

void InputParts::add_memory(uint32_t operation, InputWay way, bool is_loaded) {
  const uint32_t slot = layout_.memory_slot[operation], store = layout_.stored_by(operation);
  if (slot != kNoSlot) parts_.push_back({slot, way, true, is_loaded});
  if (store != kNone) parts_.push_back({layout_.place[store], way, false, false});
}

/// Whether what a store or return puts down is the value of a variable or a constant, and nothing computed.
bool InputParts::stores_copy(uint32_t operation) const {
  const auto operands = model_.operands_of(operation);
  return operands.empty() || operands.front().kind != OperandKind::kOperation ||
         traits_[operands.front().value].is_copy;
}

// Executions.

std::span<const StaticPart> InputParts::parts_of(const ExecutionPlace& place, uint32_t node, uint64_t number) const {
  const uint8_t kinds = kinds_[node];
  if ((kinds & (kCalls | kTransfers)) == 0) {
    return std::span(parts_).subspan(first_[node][0], first_[node][1] - first_[node][0]);
  }
  Variant variant = kNative;
  if (graph_.entered_body(place, operation_of(node))) {
    variant = kEntered;
  } else if ((kinds & kCalls) != 0 && readers_.contains(number)) {
    variant = kReader;
  }
  const auto& variants = calls_[first_[node][0]];
  return std::span(parts_).subspan(variants[variant], variants[variant + 1] - variants[variant]);
}

std::optional<std::span<const StaticPart>> InputParts::static_parts_of(uint32_t node) const {
  const uint8_t kinds = kinds_[node];
  if ((kinds & (kCalls | kTransfers)) != 0) {
    if ((model_.operation(operation_of(node)).flags & kOperationEnters) == 0) return std::nullopt;
    const auto& variants = calls_[first_[node][0]];
    return std::span(parts_).subspan(variants[kEntered], variants[kEntered + 1] - variants[kEntered]);
  }
  const auto parts = std::span(parts_).subspan(first_[node][0], first_[node][1] - first_[node][0]);
  if ((kinds & kCompares) != 0 && parts.size() > 1) return std::nullopt;
  return parts;
}

NodeNumber InputParts::deciding(NodeNumber source) const {
  if (is_input_byte(source) || !is_among(results_, source.bits)) return source;
  return source.as_transfer();
}

void InputParts::mark_around(uint64_t number) const {
  const size_t chunk = graph_.file().chunk_of_number(number);
  const GraphFile::Chunk& opened = graph_.file().chunk(chunk);
  marked_from_ = opened.first_number;
  marked_to_ = opened.end_number;
  if (is_marked_[chunk] != 0) return;
  is_marked_[chunk] = 1;
  uint64_t next = opened.first_number;
  for (const uint32_t block : opened.blocks) {
    if (block >= block_calls_.size()) graph_.file().fail(chunk, "a block does not exist");
    const uint32_t nodes = layout_.nodes_of(block);
    if (next + nodes > opened.end_number) graph_.file().fail(chunk, "no execution has a node's number");
    if (block_calls_[block] != 0) {
      for (uint32_t each = 0; each < nodes; ++each) {
        const uint32_t node = layout_.first_node[block] + each;
        if ((kinds_[node] & kCalls) != 0) results_.insert(next + each);
        if ((kinds_[node] & kTransfers) != 0 && !traits_[operation_of(node)].copies_memory) makers_.insert(next + each);
      }
    }
    next += nodes;
  }
}

bool InputParts::comparison_holds(uint32_t node, Outcome outcome) const {
  if ((kinds_[node] & kCompares) == 0 || (outcome != Outcome::kTrue && outcome != Outcome::kFalse)) return false;
  const uint32_t operation = operation_of(node);
  const bool is_true = (outcome == Outcome::kTrue) != traits_[operation].is_negated;
  return is_true == ((model_.operation(operation).flags & kOperationEquals) != 0);
}

/// By the one edge from the block of `place` to the block that ran next, when there is one.
Outcome InputParts::find_outcome(const ExecutionPlace& place) const {
  if (place.execution + 1 >= graph_.executions()) return Outcome::kUnknown;
  const uint32_t next = graph_.block_of(place.execution + 1);
  std::optional<uint32_t> found;
  for (const uint32_t edge : model_.edges_of(place.block)) {
    if (model_.edge(edge).target != next) continue;
    if (found) return Outcome::kUnknown;
    found = edge;
  }
  if (!found) return Outcome::kUnknown;
  switch (model_.edge_kind(*found)) {
    case format::EdgeKind::kTrue:
      return Outcome::kTrue;
    case format::EdgeKind::kFalse:
      return Outcome::kFalse;
    case format::EdgeKind::kCase:
      return Outcome::kCase;
    default:
      return Outcome::kOther;
  }
}

}  // namespace culprit::depend
