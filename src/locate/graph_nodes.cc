#include "locate/graph_nodes.h"

#include <algorithm>

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

bool reads_input(const DependenceGraph& graph, Node node) {
  if (kind_of(graph, node) != OperationKind::kCall || graph.enters_body(node)) return false;
  const program::ProgramModel& model = graph.model();
  const uint32_t callee = model.call(model.operation(node.operation()).detail).callee;
  return callee != program::kNone &&
         program::external_role(model.text(model.function(callee).linkage_name)).brings_input;
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

}  // namespace culprit
