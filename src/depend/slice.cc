#include "depend/slice.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace culprit::depend {
namespace {

struct NodeHash {
  size_t operator()(Node node) const {
    const uint64_t bits = node.bits * 0x9e3779b97f4a7c15;
    return bits ^ (bits >> 32);
  }
};
using NodeSet = std::unordered_set<Node, NodeHash>;

bool is_wanted(EdgeKind kind, const SliceOptions& options) {
  switch (kind) {
    case EdgeKind::kData:
      return options.data;
    case EdgeKind::kAddress:
      return options.address;
    case EdgeKind::kControl:
      return options.control;
  }
  return false;
}

Slice sorted(const NodeSet& nodes) {
  Slice slice(nodes.begin(), nodes.end());
  std::sort(slice.begin(), slice.end());
  return slice;
}

}  // namespace

Slice backward_slice(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options) {
  NodeSet seen;
  std::vector<Node> open;
  const auto reach = [&](Node node) {
    if (options.prune && options.prune(node)) return;
    if (seen.insert(node).second) open.push_back(node);
  };
  for (const Node node : criterion) {
    if (node != kNoNode) reach(node);
  }
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    graph.for_each_edge(node, [&](const Edge& edge) {
      if (is_wanted(edge.kind, options)) reach(edge.to);
    });
  }
  return sorted(seen);
}

// Dependences lead back in time, but for the results of calls, which come from later executions than the call's own. So
// a pass in order of time is repeated until nothing is added.
Slice forward_slice(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options) {
  NodeSet seen;
  Execution first = kNoExecution;
  for (const Node node : criterion) {
    if (node == kNoNode) continue;
    seen.insert(node);
    first = std::min(first, node.execution());
  }
  for (size_t before = 0; before != seen.size() && !seen.empty();) {
    before = seen.size();
    for (Execution execution = first; execution < graph.executions(); ++execution) {
      for (const uint32_t operation : graph.model().operations_of(graph.execution(execution).block)) {
        const Node node = Node::of(execution, operation);
        if (seen.contains(node) || (options.prune && options.prune(node))) continue;
        bool depends = false;
        graph.for_each_edge(node, [&](const Edge& edge) {
          depends = depends || (is_wanted(edge.kind, options) && seen.contains(edge.to));
        });
        if (depends) seen.insert(node);
      }
    }
  }
  return sorted(seen);
}

Slice chop(const DependenceGraph& graph, const std::vector<Node>& from, const std::vector<Node>& to,
           const SliceOptions& options) {
  const Slice back = backward_slice(graph, to, options);
  const Slice forth = forward_slice(graph, from, options);
  Slice both;
  std::set_intersection(back.begin(), back.end(), forth.begin(), forth.end(), std::back_inserter(both));
  return both;
}

std::vector<StatementInstance> statement_instances(const DependenceGraph& graph, const Slice& slice) {
  std::vector<StatementInstance> instances;
  for (const Node node : slice) {
    instances.push_back({node.execution(), graph.model().operation(node.operation()).statement});
  }
  std::sort(instances.begin(), instances.end());
  instances.erase(std::unique(instances.begin(), instances.end()), instances.end());
  return instances;
}

std::set<InstanceEdge> instance_edges(const DependenceGraph& graph, const Slice& slice,
                                      const std::vector<StatementInstance>& instances, const SliceOptions& options) {
  const auto number = [&](Node node) -> std::optional<size_t> {
    const StatementInstance wanted{node.execution(), graph.model().operation(node.operation()).statement};
    const auto at = std::lower_bound(instances.begin(), instances.end(), wanted);
    if (at == instances.end() || *at != wanted) return std::nullopt;
    return static_cast<size_t>(at - instances.begin());
  };
  std::set<InstanceEdge> edges;
  for (const Node node : slice) {
    const std::optional<size_t> from = number(node);
    if (!from) continue;
    graph.for_each_edge(node, [&](const Edge& edge) {
      const std::optional<size_t> to = number(edge.to);
      if (to && *to != *from && is_wanted(edge.kind, options)) edges.insert({*from, *to, edge.kind});
    });
  }
  return edges;
}

}  // namespace culprit::depend
