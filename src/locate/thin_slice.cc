#include "locate/thin_slice.h"

#include <functional>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "locate/graph_nodes.h"
#include "locate/never_written.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Node;
using format::OperandRole;
using format::OperationKind;

constexpr size_t kMostNodes = 1'000'000;
constexpr uint32_t kNoFrame = ~uint32_t{0};

}  // namespace

std::vector<ComputingStatement> computed_from(const DependenceGraph& graph, Node origin) {
  struct Visit {
    uint32_t activations, steps, frame;
    Node node;
    bool operator>(const Visit& other) const {
      return std::tie(activations, steps, node.bits) > std::tie(other.activations, other.steps, other.node.bits);
    }
  };
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> open;
  std::unordered_set<uint64_t> visited;
  std::unordered_set<uint32_t> seen;
  std::vector<ComputingStatement> statements;
  open.push({.activations = 0, .steps = 0, .frame = kNoFrame, .node = origin});
  while (!open.empty() && visited.size() < kMostNodes) {
    Visit at = open.top();
    open.pop();
    if (!visited.insert(at.node.bits).second) continue;
    if (reads_input(graph, at.node)) continue;
    if (!is_copy(graph, at.node)) {
      const uint32_t frame = graph.execution(at.node.execution()).frame;
      if (frame != at.frame) ++at.activations;
      at.frame = frame;
      ++at.steps;
      const uint32_t statement = graph.model().operation(at.node.operation()).statement;
      if (!unwritten_variable(graph.model(), at.node.operation()) && seen.insert(statement).second) {
        statements.push_back({.statement = statement, .activations = at.activations, .steps = at.steps});
      }
    }
    const auto visit = [&](Node source) {
      open.push({.activations = at.activations, .steps = at.steps, .frame = at.frame, .node = source});
    };
    // A call's arguments are not its result, and a copier's are not the bytes it copies.
    const bool passes =
        at.node.is_transfer() || (kind_of(graph, at.node) == OperationKind::kCall && graph.enters_body(at.node));
    if (!passes) {
      for (const Node source : sources_of(graph, at.node, {OperandRole::kData})) visit(source);
    }
    graph.for_each_memory_source(at.node, visit);
  }
  return statements;
}

}  // namespace culprit
