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

/// Where the memory that `node` reads came from: adds the copies on the way to the chain. Each source that was copied
/// follows its copier in the list, so a copier at its end is itself the origin.
Node through_memory(const DependenceGraph& graph, Node node, std::vector<Node>& chain) {
  std::vector<Node> sources;
  graph.for_each_memory_source(node, [&](Node source) { sources.push_back(source); });
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
    case OperationKind::kLoad:
      return through_memory(graph, node, chain);
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

}  // namespace culprit::depend
