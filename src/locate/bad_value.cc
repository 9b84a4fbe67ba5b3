#include "locate/bad_value.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "depend/value_chain.h"
#include "locate/graph_nodes.h"
#include "program/external_effects.h"
#include "program/measured_memory.h"
#include "trace/control_stream.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Execution;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

constexpr Execution kMostExecutions = 20'000;  // looked at for earlier accesses

/// The pointer to the object that an operation accesses, rather than to a part of it, or to the function that it calls.
std::optional<Node> pointer_of(const DependenceGraph& graph, Node node, bool callees) {
  std::vector<Node> pointers = sources_of(graph, node, {OperandRole::kAddress});
  if (pointers.empty() && callees) pointers = sources_of(graph, node, {OperandRole::kCallee});
  if (pointers.empty()) return std::nullopt;
  Node pointer = pointers.front();
  while (kind_of(graph, pointer) == OperationKind::kStep) {
    const uint32_t first = graph.model().operation(pointer.operation()).first_operand;
    Node base = depend::kNoNode;
    graph.for_each_source(pointer, first, [&](Node source) { base = source; });
    if (base == depend::kNoNode) break;
    pointer = base;
  }
  return pointer;
}

/// Of a step from a pointer: what it starts from, and by how much it goes on where that is not constant.
struct StepParts {
  Node base = depend::kNoNode, index = depend::kNoNode;
};

StepParts parts_of(const DependenceGraph& graph, Node step) {
  const auto& sections = graph.model().sections();
  const uint32_t first = sections.operations[step.operation()].first_operand;
  StepParts parts;
  graph.for_each_source(step, first, [&](Node source) { parts.base = source; });
  for (uint32_t each = first + 1; each < sections.operations[step.operation() + 1].first_operand; ++each) {
    graph.for_each_source(step, each, [&](Node source) { parts.index = source; });
  }
  return parts;
}

/// The objects that pointers point into. A pointer that goes through a text makes a step at each of its bytes, from the
/// one before: each is walked over once.
class Objects {
 public:
  explicit Objects(const DependenceGraph& graph) : graph_(graph) {}

  /// What made the pointer to the object; kNoNode where that is a variable.
  Node of(Node pointer) {
    std::vector<uint64_t> steps;
    Node object = depend::kNoNode;
    while (pointer != depend::kNoNode) {
      pointer = depend::value_chain(graph_, pointer).back();
      const auto known = known_.find(pointer.bits);
      if (known != known_.end() || kind_of(graph_, pointer) != OperationKind::kStep) {
        object = known != known_.end() ? known->second : pointer;
        break;
      }
      steps.push_back(pointer.bits);
      pointer = parts_of(graph_, pointer).base;
    }
    for (const uint64_t each : steps) known_.emplace(each, object);
    return object;
  }

 private:
  const DependenceGraph& graph_;
  std::unordered_map<uint64_t, Node> known_;  ///< by step
};

/// What the activation of a failure accessed memory through before.
struct GoodPointers {
  explicit GoodPointers(const DependenceGraph& graph) : object_of(graph) {}

  Objects object_of;
  std::unordered_set<uint64_t> made;
  std::unordered_set<uint64_t> objects;  ///< that they point into
};

GoodPointers good_pointers(const DependenceGraph& graph, Node failing) {
  GoodPointers good(graph);
  const uint32_t frame = graph.execution(failing.execution()).frame;
  const Execution first = failing.execution() - std::min(failing.execution(), kMostExecutions);
  for (Execution each = first; each <= failing.execution(); ++each) {
    if (graph.execution(each).frame != frame) continue;
    for (const uint32_t operation : graph.model().operations_of(graph.execution(each).block)) {
      if (each == failing.execution() && operation >= failing.operation()) break;
      if (const auto pointer = pointer_of(graph, Node::of(each, operation), true)) {
        good.made.insert(depend::value_chain(graph, *pointer).back().bits);
        good.objects.insert(good.object_of.of(*pointer).bits);
      }
    }
  }
  return good;
}

/// The index by which an access leaves an object that is a variable, or that was accessed before; kNoNode when it has
/// none, or its pointer may be what is wrong.
Node bad_index(const DependenceGraph& graph, Node access, GoodPointers& good) {
  const std::vector<Node> addresses = sources_of(graph, access, {OperandRole::kAddress});
  Node at = addresses.empty() ? depend::kNoNode : addresses.front();
  while (at != depend::kNoNode) {
    at = depend::value_chain(graph, at).back();
    if (kind_of(graph, at) != OperationKind::kStep) break;
    const StepParts parts = parts_of(graph, at);
    if (parts.index != depend::kNoNode) {
      const Node object = good.object_of.of(parts.base);
      return object == depend::kNoNode || good.objects.contains(object.bits) ? parts.index : depend::kNoNode;
    }
    at = parts.base;
  }
  return depend::kNoNode;
}

}  // namespace

Node bad_value(const DependenceGraph& graph, const std::vector<Node>& statement, bool puts_out) {
  // What a call of the library read: for output, what was put out.
  for (const Node node : statement) {
    if (kind_of(graph, node) != OperationKind::kCall || graph.enters_body(node)) continue;
    Node latest = depend::kNoNode;
    graph.for_each_memory_source(node, [&](Node source) {
      if (latest == depend::kNoNode || source > latest) latest = source;
    });
    if (latest != depend::kNoNode) return latest;
  }
  GoodPointers good = good_pointers(graph, statement.front());
  std::optional<Node> bad;
  Node access = depend::kNoNode;
  for (const Node node : statement) {
    const std::optional<Node> pointer = pointer_of(graph, node, !puts_out);
    if (!pointer) continue;
    if (!bad) bad = pointer;
    access = node;
    if (good.made.contains(depend::value_chain(graph, *pointer).back().bits)) continue;
    bad = pointer;
    break;
  }
  if (bad && !puts_out) {
    if (const Node index = bad_index(graph, access, good); index != depend::kNoNode) return index;
  }
  if (bad) return *bad;
  const std::vector<Node> data = sources_of(graph, statement.back(), {OperandRole::kData});
  return data.empty() ? depend::kNoNode : data.back();
}

Node divisor(const DependenceGraph& graph, const std::vector<Node>& statement) {
  Node found = depend::kNoNode;
  for (const Node node : statement) {
    const format::OperationRecord& record = graph.model().operation(node.operation());
    if (record.kind != OperationKind::kCompute || (record.flags & format::kOperationDivides) == 0) continue;
    found = depend::kNoNode;
    graph.for_each_source(node, record.first_operand + 1, [&](Node source) { found = source; });
  }
  return found;
}

namespace {

/// The site at which a trace has the length of an operation.
std::optional<uint32_t> length_site(const program::ProgramModel& model, uint32_t operation) {
  const auto sections = model.sections();
  const uint32_t end = sections.operations[operation + 1].first_access;
  for (uint32_t each = sections.operations[operation].first_access; each < end; ++each) {
    if (sections.accesses[each].place == format::PlaceKind::kLength) return sections.accesses[each].value;
  }
  return std::nullopt;
}

/// What a thread recorded at a site when it executed the operation for the last time.
std::optional<uint64_t> last_at_site(const trace::TraceFile& trace, uint32_t operation, uint32_t site) {
  trace::ControlStream stream(trace);
  std::optional<uint64_t> last;
  while (true) {
    const trace::Step& step = stream.next();
    if (step.kind == trace::StepKind::kEnd) return last;
    const bool executes = step.kind == trace::StepKind::kRun && step.first <= operation && operation < step.end;
    if (executes && site < stream.sites().size()) last = stream.sites()[site];
  }
}

}  // namespace

std::optional<NegativeLength> negative_length(const DependenceGraph& graph, const trace::TraceFile& trace,
                                              const std::vector<Node>& statement) {
  for (const Node node : statement) {
    const std::optional<uint32_t> site = length_site(graph.model(), node.operation());
    if (!site) continue;
    // It is the last operand (docs/formats.md).
    const std::vector<Node> lengths = sources_of(graph, node, {OperandRole::kAddress});
    const std::optional<uint64_t> bytes = last_at_site(trace, node.operation(), *site);
    if (lengths.empty() || !bytes || static_cast<int64_t>(*bytes) >= 0) continue;
    return NegativeLength{.value = lengths.back(), .bytes = static_cast<int64_t>(*bytes)};
  }
  return std::nullopt;
}

Node length_of_output(const DependenceGraph& graph, Node call) {
  const program::ProgramModel& model = graph.model();
  if (kind_of(graph, call) != OperationKind::kCall) return depend::kNoNode;
  const uint32_t callee = model.call(model.operation(call.operation()).detail).callee;
  if (callee == format::kNone) return depend::kNoNode;
  // What the table says of it, whatever it is given: by their values the arguments are told apart.
  constexpr std::array<uint64_t, 6> kAny = {0x101, 0x102, 0x103, 0x104, 0x105, 0x106};
  const auto effects = program::effects_of_call(
      {.function = model.text(model.function(callee).linkage_name), .arguments = kAny, .result = 1},
      program::MeasuredMemory(kAny, 0, {}, nullptr));
  if (!effects || !effects->complete) return depend::kNoNode;
  const auto output = std::find_if(effects->effects.begin(), effects->effects.end(), [](const program::Effect& each) {
    return each.kind == program::EffectKind::kOutput && each.unchanged && each.sources.size() == 1;
  });
  if (output == effects->effects.end()) return depend::kNoNode;
  Node length = depend::kNoNode;
  const uint32_t first = model.operation(call.operation()).first_operand;
  const uint32_t end = model.operation(call.operation() + 1).first_operand;
  for (uint32_t each = 0; each < kAny.size() && first + each < end; ++each) {
    if (kAny[each] == output->target.key || kAny[each] == output->sources.front().address) continue;
    if (model.sections().operands[first + each].role != OperandRole::kData) continue;
    graph.for_each_source(call, first + each, [&](Node source) { length = source; });
  }
  return length;
}

}  // namespace culprit
