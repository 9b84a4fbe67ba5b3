#include "depend/value_chain.h"

#include <algorithm>

namespace culprit::depend {
namespace {

using namespace format;

bool is_copier(const DependenceGraph& graph, Node node) {
  const OperationKind kind = graph.model().operation(node.operation()).kind;
  return kind == OperationKind::kCopyMemory ||
         (kind == OperationKind::kCall && node.is_transfer() && !graph.enters_body(node));
}

bool defines_memory(const DependenceGraph& graph, Node node) {
  const OperationKind kind = graph.model().operation(node.operation()).kind;
  return kind == OperationKind::kStore || is_copier(graph, node) ||
         (kind == OperationKind::kCall && !graph.enters_body(node));
}

/// Where memory came from: adds the copies on the way to the chain. Each source that was copied follows its copier in
/// the list, so a copier at its end is itself the origin.
Node through_memory(const DependenceGraph& graph, std::span<const Node> sources, std::vector<Node>& chain) {
  Node origin = kNoNode;
  for (size_t each = 0; each < sources.size(); ++each) {
    if (each + 1 < sources.size() && is_copier(graph, sources[each])) {
      chain.push_back(sources[each]);
    } else if (origin == kNoNode || sources[each] > origin) {
      origin = sources[each];
    }
  }
  return origin;
}

/// The node that the value of `node` is a copy of; kNoNode when it was made there. Copies of memory in between are
/// added to the chain.
Node copied_from(const DependenceGraph& graph, Node node, std::vector<Node>& chain) {
  const auto& sections = graph.model().sections();
  const OperationRecord& record = sections.operations[node.operation()];
  Node source = kNoNode;
  switch (record.kind) {
    case OperationKind::kLoad: {
      std::vector<Node> sources;
      graph.for_each_memory_source(node, [&](Node each) { sources.push_back(each); });
      return through_memory(graph, sources, chain);
    }
    case OperationKind::kCall:
      // A body's return; native code makes its result itself.
      if (graph.enters_body(node)) graph.for_each_memory_source(node, [&](Node each) { source = each; });
      return source;
    case OperationKind::kStore:
    case OperationKind::kReturn:
    case OperationKind::kCopy:
    case OperationKind::kPhi:
      if (record.first_operand < sections.operations[node.operation() + 1].first_operand) {
        graph.for_each_source(node, record.first_operand, [&](Node each) { source = each; });
      }
      return source;
    default:
      return kNoNode;
  }
}

}  // namespace

std::vector<Node> value_chain(const DependenceGraph& graph, Node criterion) {
  std::vector<Node> chain;
  for (Node at = criterion; at != kNoNode;) {
    if (std::find(chain.begin(), chain.end(), at) != chain.end()) break;
    chain.push_back(at);
    at = copied_from(graph, at, chain);
  }
  return chain;
}

std::vector<Node> value_chain_of_output(const DependenceGraph& graph, std::span<const Node> made_by) {
  if (made_by.empty()) return {};
  // The call that put it out comes last. What decided which memory that was, is not the value.
  const Node call = made_by.back();
  std::vector<Node> memory, other;
  for (const Node each : made_by.first(made_by.size() - 1))
    (defines_memory(graph, each) ? memory : other).push_back(each);
  std::vector<Node> chain{call};
  const Node origin = through_memory(graph, memory.empty() ? other : memory, chain);
  if (origin == kNoNode) return chain;
  const std::vector<Node> rest = value_chain(graph, origin);
  chain.insert(chain.end(), rest.begin(), rest.end());
  return chain;
}

}  // namespace culprit::depend
