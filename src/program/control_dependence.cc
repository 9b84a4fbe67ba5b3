#include "program/control_dependence.h"

#include <utility>

namespace culprit::program {

ControlDependence control_dependence(const FlowGraph& graph, const PostDominators& post_dominators) {
  // The blocks that depend on A→B are B and its ancestors in the post-dominator tree, up to A's immediate
  // post-dominator; A itself may be among them (a loop's header).
  std::vector<std::pair<uint32_t, uint32_t>> dependences;  // block, edge; in order of edge
  for (uint32_t source = 0; source < graph.size(); ++source) {
    const uint32_t stop = post_dominators.immediate[source];
    for (uint32_t edge = graph.first_edge[source]; edge < graph.first_edge[source + 1]; ++edge) {
      for (uint32_t block = graph.targets[edge]; block != stop; block = post_dominators.immediate[block]) {
        dependences.emplace_back(block, edge);
      }
    }
  }
  ControlDependence result;
  result.first.assign(graph.size() + 1, 0);
  for (const auto& [block, edge] : dependences) ++result.first[block + 1];
  for (uint32_t block = 0; block < graph.size(); ++block) result.first[block + 1] += result.first[block];
  result.edges.resize(dependences.size());
  std::vector<uint32_t> next(result.first.begin(), result.first.end() - 1);
  for (const auto& [block, edge] : dependences) result.edges[next[block]++] = edge;
  return result;
}

}  // namespace culprit::program
