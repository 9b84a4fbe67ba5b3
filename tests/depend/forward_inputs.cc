// The rules are those of src/depend/input_parts.h, written a second time.
//
// Values are computed forwards over what the criterion depends on; a result of a call, which lies later in the order of
// numbers than the call, is computed when it is asked for.
#include "forward_inputs.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "depend/operation_traits.h"
#include "depend/slice.h"

namespace culprit::depend {
namespace {

using namespace format;

/// How what a node depends on comes into its value.
enum class Way : uint8_t { kPrecise, kWeak, kAddress, kControl, kWeakControl, kPredicate };

struct Part {
  NodeNumber source;
  Way way;
};

}  // namespace

class ForwardInputs::Computation {
 public:
  explicit Computation(const DependenceGraph& graph)
      : graph_(graph),
        model_(graph.model()),
        layout_(graph.layout()),
        traits_(graph.model()),
        values_(graph.file().ordinals()),
        known_(graph.file().numbers()),
        value_of_(static_cast<InputValue*>(std::calloc(graph.file().numbers() + 1, sizeof(InputValue)))) {
    if (!value_of_) throw std::bad_alloc();
    for (const GraphInput& each : graph.file().inputs()) {
      const bool is_value = each.bytes > 0 && each.detail == 1 && each.kind <= GraphInputKind::kUnplaced &&
                            each.kind != GraphInputKind::kConverted;
      if (is_value) read_by_.emplace(each.call, each.first);
      if (each.bytes > 0 && each.call != kGraphNoNumber) readers_.insert(each.call);
    }
  }

  InputValue of(std::span<const NodeNumber> criterion) {
    // In order of time what a value needs is known nearly always; what was looked at before need not be gone over.
    if (computed_ == 0) {
      std::vector<Node> nodes;
      for (const NodeNumber each : criterion) {
        if (const Node node = graph_.node_of(each); node != kNoNode) nodes.push_back(node);
      }
      const Slice slice = backward_slice(graph_, nodes);
      slice.for_each([&](uint64_t number) { compute(number); });
    }
    InputValue value = kNoInput;
    for (const NodeNumber each : criterion) {
      ask(each);
      value = values_.joined(value, source_value(each));
    }
    return value;
  }

  const DependenceGraph& graph() const { return graph_; }
  const InputValues& values() const { return values_; }
  uint64_t computed() const { return computed_; }
  InputValue weakened(InputValue value) { return values_.weakened(value); }
  InputValue joined(InputValue one, InputValue other) { return values_.joined(one, other); }

 private:
  /// The node whose value a source needs; a byte of input, that of the call that read it.
  NodeNumber node_needed(NodeNumber source) const {
    if (!is_input_byte(source)) return source;
    const NodeNumber call{graph_.file().input_of(ordinal_of(source)).call};
    return call == kNoNumber ? call : call.as_transfer();
  }

  void ask(NodeNumber source) {
    if (const NodeNumber node = node_needed(source); node != kNoNumber) compute(node.bits);
  }

  InputValue source_value(NodeNumber source) {
    const NodeNumber node = node_needed(source);
    const InputValue value = node == kNoNumber ? kNoInput : value_of_.get()[node.bits];
    return is_input_byte(source) ? values_.joined(values_.byte(ordinal_of(source)), value) : value;
  }

  void compute(uint64_t number) {
    if (known_.contains(number)) return;
    open_.assign(1, number);
    while (!open_.empty()) {
      const uint64_t next = open_.back();
      if (known_.contains(next)) {
        open_.pop_back();
        continue;
      }
      gather(next);
      if (waits_for_others(next)) continue;
      const InputValue value = joined_parts(next);
      value_of_.get()[next] = value;
      known_.insert(next);
      ++computed_;
      open_.pop_back();
    }
  }

  /// What is being computed already, further down, is not waited for.
  bool waits_for_others(uint64_t number) {
    if (!begun_.empty() && begun_.erase(number) > 0) return false;
    const size_t before = open_.size();
    for (const Part& part : parts_) {
      const NodeNumber node = node_needed(part.source);
      if (node == kNoNumber || known_.contains(node.bits) || begun_.contains(node.bits)) continue;
      open_.push_back(node.bits);
    }
    if (open_.size() == before) return false;
    begun_.insert(number);
    return true;
  }

  InputValue joined_parts(uint64_t number) {
    graph_.move_to(place_, number);
    const uint32_t operation = layout_.nodes[graph_.static_node(place_, number)].operation & ~Node::kTransferBit;
    InputValue value = kNoInput;
    const bool compares = comparison_holds(operation);
    for (size_t each = 0; each < parts_.size(); ++each) {
      Way way = parts_[each].way;
      if (compares && way == Way::kWeak && others_are_constant(each)) way = Way::kPrecise;
      value = values_.joined(value, contribution(source_value(parts_[each].source), way));
    }
    if (mapping_from_ != kNoNumber)
      value = values_.joined(value, values_.mapped(value_of_.get()[mapping_from_.bits], operation));
    if (const auto read = read_by_.find(number); read != read_by_.end()) {
      value = values_.joined(value, values_.byte(read->second));
    }
    return value;
  }

  InputValue contribution(InputValue value, Way way) {
    switch (way) {
      case Way::kPrecise:
      case Way::kPredicate:
        return value;
      case Way::kWeak:
        return values_.weakened(value);
      case Way::kAddress:
        return values_.through_address(value);
      case Way::kControl:
        return values_.through_control(value);
      case Way::kWeakControl:
        return values_.weakened(values_.through_control(value));
    }
    return kNoInput;
  }

  bool others_are_constant(size_t operand) {
    for (size_t each = 0; each < parts_.size(); ++each) {
      if (each != operand && values_.is_derived(source_value(parts_[each].source))) return false;
    }
    return true;
  }

  /// Whether an operation found two values equal, as the block shows that ran next.
  bool comparison_holds(uint32_t operation) const {
    const OperationTrait& trait = traits_[operation];
    if (trait.branch == kNone) return false;
    const std::optional<uint32_t> edge = edge_taken();
    if (!edge) return false;
    const format::EdgeKind kind = model_.edge_kind(*edge);
    if (kind != format::EdgeKind::kTrue && kind != format::EdgeKind::kFalse) return false;
    const bool is_true = (kind == format::EdgeKind::kTrue) != trait.is_negated;
    return is_true == ((model_.operation(operation).flags & kOperationEquals) != 0);
  }

  /// The one edge from the block of `place_` to the block that ran next, when there is one.
  std::optional<uint32_t> edge_taken() const {
    if (place_.execution + 1 >= graph_.executions()) return std::nullopt;
    const uint32_t next = graph_.block_of(place_.execution + 1);
    std::optional<uint32_t> found;
    for (const uint32_t edge : model_.edges_of(place_.block)) {
      if (model_.edge(edge).target != next) continue;
      if (found) return std::nullopt;
      found = edge;
    }
    return found;
  }

  // What a node's value is made of.

  void gather(uint64_t number) {
    parts_.clear();
    mapping_from_ = kNoNumber;
    graph_.move_to(place_, number);
    const BlockNode& node = layout_.nodes[graph_.static_node(place_, number)];
    const uint32_t operation = node.operation & ~Node::kTransferBit;
    const OperationRecord& record = model_.operation(operation);
    if ((node.operation & Node::kTransferBit) != 0) return gather_transfer(operation);
    switch (record.kind) {
      case OperationKind::kLoad:
        add_operands(operation, Way::kPrecise);
        add_loaded(operation);
        break;
      case OperationKind::kCopy:
      case OperationKind::kStep:
        add_operands(operation, Way::kPrecise);
        break;
      case OperationKind::kCompute:
        add_operands(operation, (record.flags & kOperationNegates) != 0 ? Way::kPrecise : Way::kWeak);
        break;
      case OperationKind::kChoice:
        add_operands(operation, Way::kWeak);
        break;
      case OperationKind::kPhi:
        add_operands(operation, Way::kPrecise);
        graph_.visit_bytes(place_, layout_.memory_slot[operation], [&](NodeNumber each) { add_control(each, true); });
        break;
      case OperationKind::kBranch:
        add_operands(operation, is_decided_precisely() ? Way::kPrecise : Way::kWeak);
        add_controls(true);
        break;
      case OperationKind::kStore:
      case OperationKind::kSetMemory:
      case OperationKind::kReturn:
        add_operands(operation, Way::kPrecise);
        add_controls(stores_copy(operation));
        if (record.kind == OperationKind::kStore) find_mapping(operation);
        break;
      case OperationKind::kCopyMemory:
        add_operands(operation, Way::kPrecise);
        add_controls(true);
        break;
      case OperationKind::kUpdate:
        add_operands(operation, Way::kWeak);
        add_memory(operation, Way::kWeak);
        add_controls(false);
        break;
      case OperationKind::kCall:
        gather_call(operation, number);
        break;
      case OperationKind::kLandingPad:
      case OperationKind::kUnwind:
        add_operands(operation, Way::kWeak);
        add_controls(false);
        break;
    }
  }

  /// That a call was made, and where.
  void gather_transfer(uint32_t operation) {
    if (graph_.entered_body(place_, operation)) {
      // Between the caller's predicate and the callee's statements it does nothing of its own.
      graph_.visit_bytes(place_, kControlSlot, [&](NodeNumber each) {
        parts_.push_back({deciding(each), Way::kPredicate});
      });
      return add_operands_of(
          operation, [](OperandRole role) { return role == OperandRole::kCallee; }, Way::kAddress);
    }
    add_operands_of(
        operation, [](OperandRole role) { return role != OperandRole::kData; }, Way::kAddress);
    add_controls(true);
  }

  void gather_call(uint32_t operation, uint64_t number) {
    if (graph_.entered_body(place_, operation)) return add_memory(operation, Way::kPrecise);
    if (readers_.contains(number)) {
      // Descriptor, stream and size choose what is read.
      add_operands(operation, Way::kAddress);
      return add_controls(true);
    }
    const Way way = traits_[operation].keeps_strength ? Way::kPrecise : Way::kWeak;
    add_operands(operation, way);
    add_memory(operation, way);
    add_controls(false);
  }

  void add_operands(uint32_t operation, Way way) {
    add_operands_of(
        operation, [](OperandRole) { return true; }, way);
  }

  template <typename Wanted>
  void add_operands_of(uint32_t operation, Wanted&& wanted, Way way) {
    const OperationRecord& record = model_.operation(operation);
    const uint32_t end = model_.sections().operations[operation + 1].first_operand;
    for (uint32_t each = record.first_operand; each < end; ++each) {
      const OperandRecord& operand = model_.sections().operands[each];
      if (!wanted(operand.role)) continue;
      const bool address = operand.role == OperandRole::kAddress || operand.role == OperandRole::kCallee;
      const Way by = address ? Way::kAddress : operand.role == OperandRole::kChooses ? Way::kWeakControl : way;
      if (const uint32_t slot = layout_.operand_slot[each]; slot != kNoSlot) {
        graph_.visit_bytes(place_, slot, [&](NodeNumber source) { parts_.push_back({source, by}); });
      } else if (operand.kind == OperandKind::kOperation) {
        parts_.push_back({{place_.first_number + layout_.place[operand.value]}, by});
      }
      if (record.kind == OperationKind::kPhi) break;  // all of them share one slot
    }
  }

  void add_memory(uint32_t operation, Way way) {
    const uint32_t slot = layout_.memory_slot[operation];
    if (const uint32_t store = layout_.stored_by(operation); store != format::kNone) {
      parts_.push_back({{place_.first_number + layout_.place[store]}, way});
    }
    if (slot == kNoSlot) return;
    graph_.visit_bytes(place_, slot, [&](NodeNumber source) { parts_.push_back({source, way}); });
  }

  /// Memory that library functions computed, and did not copy, from its sources is not those sources' values.
  void add_loaded(uint32_t operation) {
    const size_t first = parts_.size();
    add_memory(operation, Way::kPrecise);
    const bool computed = std::any_of(parts_.begin() + static_cast<std::ptrdiff_t>(first), parts_.end(),
                                      [&](const Part& part) { return is_made_by_native_code(part.source); });
    if (!computed) return;
    for (size_t each = first; each < parts_.size(); ++each) parts_[each].way = Way::kWeak;
  }

  bool is_made_by_native_code(NodeNumber source) const {
    if (is_input_byte(source)) return false;
    ExecutionPlace place = place_;
    graph_.move_to(place, source.bits);
    const uint32_t node = layout_.nodes[graph_.static_node(place, source.bits)].operation;
    return (node & Node::kTransferBit) != 0 && !traits_[node & ~Node::kTransferBit].copies_memory;
  }

  /// A call in native code decides what its callbacks do by having been made.
  NodeNumber deciding(NodeNumber source) const {
    if (is_input_byte(source)) return source;
    ExecutionPlace place = place_;
    graph_.move_to(place, source.bits);
    const BlockNode& node = layout_.nodes[graph_.static_node(place, source.bits)];
    const bool is_result = node.is_call && (node.operation & Node::kTransferBit) == 0;
    return is_result ? source.as_transfer() : source;
  }

  void add_control(NodeNumber source, bool precise) {
    parts_.push_back({deciding(source), precise ? Way::kControl : Way::kWeakControl});
  }
  void add_controls(bool precise) {
    graph_.visit_bytes(place_, kControlSlot, [&](NodeNumber each) { add_control(each, precise); });
  }

  /// Whether what a store or return puts down is the value of a variable or a constant, and nothing computed.
  bool stores_copy(uint32_t operation) const {
    const auto operands = model_.operands_of(operation);
    return operands.empty() || operands.front().kind != OperandKind::kOperation ||
           traits_[operands.front().value].is_copy;
  }

  void find_mapping(uint32_t operation) {
    const auto operands = model_.operands_of(operation);
    if (operands.empty() || operands.front().kind != OperandKind::kConstant) return;
    graph_.visit_bytes(place_, kControlSlot, [&](NodeNumber each) { mapping_from_ = deciding(each); });
  }

  /// Conditions have been weighed where they were computed; of a switch a case of its own must have been taken.
  bool is_decided_precisely() const {
    const auto edges = model_.edges_of(place_.block);
    const bool is_switch = std::any_of(
        edges.begin(), edges.end(), [&](uint32_t each) { return model_.edge_kind(each) == format::EdgeKind::kCase; });
    if (!is_switch) return true;
    const std::optional<uint32_t> edge = edge_taken();
    return edge && model_.edge_kind(*edge) == format::EdgeKind::kCase;
  }

  struct Free {
    void operator()(InputValue* values) const { std::free(values); }
  };

  const DependenceGraph& graph_;
  const program::ProgramModel& model_;
  const BlockLayout& layout_;
  const OperationTraits traits_;
  InputValues values_;
  NumberSet known_;
  std::unique_ptr<InputValue, Free> value_of_;      ///< by number
  std::unordered_map<uint64_t, uint64_t> read_by_;  ///< by number of a call: the byte that is its value
  std::unordered_set<uint64_t> readers_;            ///< calls that read input
  ExecutionPlace place_;
  std::vector<Part> parts_;
  NodeNumber mapping_from_ = kNoNumber;
  std::vector<uint64_t> open_;
  std::unordered_set<uint64_t> begun_;
  uint64_t computed_ = 0;
};

ForwardInputs::ForwardInputs(const DependenceGraph& graph) : computation_(std::make_unique<Computation>(graph)) {}
ForwardInputs::~ForwardInputs() = default;

InputValue ForwardInputs::of(std::span<const NodeNumber> criterion) {
  return computation_->of(criterion);
}

InputValue ForwardInputs::of_output(OutputStream stream, uint64_t offset) {
  const DependenceGraph& graph = computation_->graph();
  InputValue value = kNoInput;
  for (const uint64_t each : graph.output_sources(stream, offset)) {
    const NodeNumber source = without_piece({each});
    // Copied bytes come from what defined their memory, others are made of values.
    bool is_memory = is_input_byte(source);
    if (!is_memory) {
      const Node node = graph.node_of(source);
      const OperationKind kind = graph.model().operation(node.operation()).kind;
      is_memory = kind == OperationKind::kStore || kind == OperationKind::kCopyMemory || node.is_transfer();
    }
    const InputValue part = computation_->of(std::span(&source, 1));
    value = computation_->joined(value, is_memory ? part : computation_->weakened(part));
  }
  return value;
}

InputValue ForwardInputs::joined(InputValue one, InputValue other) {
  return computation_->joined(one, other);
}

const InputValues& ForwardInputs::values() const {
  return computation_->values();
}

uint64_t ForwardInputs::computed() const {
  return computation_->computed();
}

}  // namespace culprit::depend
