// Random flow graphs for the tests of graph algorithms: reducible or not, with endless loops, self-loops, parallel
// edges and unreachable blocks.
#pragma once

#include <random>

#include "program/flow_graph.h"

namespace culprit::program {

inline FlowGraph random_graph(std::mt19937& random, uint32_t largest) {
  const uint32_t size = 1 + random() % largest;
  // From a few returns and much branching to hardly any branching.
  const uint32_t branching = 1 + random() % 3;
  const uint32_t returning = random() % 4;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t block = 0; block < size; ++block) {
    if (random() % 8 < returning) continue;
    for (uint32_t each = 1 + random() % branching; each > 0; --each) edges.emplace_back(block, random() % size);
  }
  return make_graph(size, edges);
}

/// Whether a path leads from `from` to `to` that does not touch `without`; the empty path counts.
inline bool has_path(const FlowGraph& graph, uint32_t from, uint32_t to, uint32_t without = kNoBlock) {
  if (from == without || to == without) return false;
  std::vector<bool> seen(graph.size(), false);
  std::vector<uint32_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    if (block == to) return true;
    for (const uint32_t target : graph.successors(block)) {
      if (target == without || seen[target]) continue;
      seen[target] = true;
      open.push_back(target);
    }
  }
  return false;
}

/// Whether a path of at least one edge leads from `block` back to itself.
inline bool is_on_cycle(const FlowGraph& graph, uint32_t block) {
  for (const uint32_t target : graph.successors(block)) {
    if (has_path(graph, target, block)) return true;
  }
  return false;
}

}  // namespace culprit::program
