#include "locate/graph_nodes.h"

#include <algorithm>

#include "format/graph_format.h"
#include "program/external_roles.h"

namespace culprit {

using depend::DependenceGraph;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

OperationKind kind_of(const DependenceGraph& graph, Node node) {
  return graph.model().operation(node.operation()).kind;
}

bool is_copy(const DependenceGraph& graph, Node node) {
  switch (kind_of(graph, node)) {
    case OperationKind::kCopy:
    case OperationKind::kPhi:
    case OperationKind::kLoad:
    case OperationKind::kStore:
    case OperationKind::kCopyMemory:
    case OperationKind::kReturn:
      return true;
    case OperationKind::kCall:
      return graph.enters_body(node);
    default:
      return false;
  }
}

std::string_view called_symbol(const DependenceGraph& graph, Node call) {
  const program::ProgramModel& model = graph.model();
  const uint32_t callee = model.call(model.operation(call.operation()).detail).callee;
  return callee == program::kNone ? std::string_view() : model.text(model.function(callee).linkage_name);
}

bool reads_input(const DependenceGraph& graph, Node node) {
  return kind_of(graph, node) == OperationKind::kCall && !graph.enters_body(node) &&
         program::external_role(called_symbol(graph, node)).brings_input;
}

std::vector<Node> sources_of(const DependenceGraph& graph, Node node, std::initializer_list<OperandRole> roles) {
  const auto& sections = graph.model().sections();
  std::vector<Node> sources;
  const uint32_t end = sections.operations[node.operation() + 1].first_operand;
  for (uint32_t each = sections.operations[node.operation()].first_operand; each < end; ++each) {
    if (std::find(roles.begin(), roles.end(), sections.operands[each].role) == roles.end()) continue;
    graph.for_each_source(node, each, [&](Node source) { sources.push_back(source); });
  }
  return sources;
}

std::vector<uint32_t> active_statements(const DependenceGraph& graph, Node node) {
  std::vector<uint32_t> statements;
  while (true) {
    statements.push_back(graph.model().operation(node.operation()).statement);
    const Node call = graph.frame(graph.execution(node.execution()).frame).call;
    if (call == depend::kNoNode || call.execution() >= node.execution()) return statements;
    node = call;
  }
}

bool is_before(const DependenceGraph& graph, Node one, Node other) {
  // Its activations' calls, outermost first, and the node itself.
  const auto calls_to = [&graph](Node node) {
    std::vector<Node> calls{node};
    while (true) {
      const Node call = graph.frame(graph.execution(node.execution()).frame).call;
      if (call == depend::kNoNode || call.execution() >= node.execution()) break;
      calls.push_back(node = call);
    }
    std::reverse(calls.begin(), calls.end());
    return calls;
  };
  const std::vector<Node> first = calls_to(one), second = calls_to(other);
  const auto [ours, theirs] = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  return theirs != second.end() && (ours == first.end() || *theirs > *ours);
}

uint64_t instance_of(const DependenceGraph& graph, Node node) {
  const uint32_t block = graph.block_of(node.execution());
  const size_t last = node.execution() / format::kGraphChunkExecutions;
  uint64_t instance = 0;
  for (size_t chunk = 0; chunk < last; ++chunk) {
    for (const format::GraphCount& count : graph.file().counts(chunk)) {
      if (count.block == block) instance += count.executions;
    }
  }
  const auto& opened = graph.file().chunk(last);
  const auto blocks = opened.blocks.first(node.execution() - opened.first_execution + 1);
  return instance + static_cast<uint64_t>(std::count(blocks.begin(), blocks.end(), block));
}

}  // namespace culprit
