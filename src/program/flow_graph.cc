#include "program/flow_graph.h"

#include <algorithm>

#include "base/error.h"

namespace culprit::program {

FlowGraph make_graph(uint32_t size, std::span<const std::pair<uint32_t, uint32_t>> edges) {
  FlowGraph graph;
  graph.first_edge.assign(size + 1, 0);
  for (const auto& [from, to] : edges) {
    CULPRIT_ASSERT(from < size && to < size, "edge out of range");
    ++graph.first_edge[from + 1];
  }
  for (uint32_t block = 0; block < size; ++block) graph.first_edge[block + 1] += graph.first_edge[block];
  std::vector<uint32_t> next(graph.first_edge.begin(), graph.first_edge.end() - 1);
  graph.targets.resize(edges.size());
  for (const auto& [from, to] : edges) graph.targets[next[from]++] = to;
  return graph;
}

FlowGraph reversed(const FlowGraph& graph) {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  edges.reserve(graph.targets.size());
  for (uint32_t block = 0; block < graph.size(); ++block) {
    for (const uint32_t target : graph.successors(block)) edges.emplace_back(target, block);
  }
  return make_graph(graph.size(), edges);
}

std::vector<uint32_t> reverse_postorder(const FlowGraph& graph, uint32_t root) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::pair<uint32_t, uint32_t>> stack;  // block, next edge
  seen[root] = true;
  stack.emplace_back(root, graph.first_edge[root]);
  while (!stack.empty()) {
    auto& [block, edge] = stack.back();
    if (edge == graph.first_edge[block + 1]) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const uint32_t target = graph.targets[edge++];
    if (seen[target]) continue;
    seen[target] = true;
    stack.emplace_back(target, graph.first_edge[target]);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Components strongly_connected_components(const FlowGraph& graph) {
  constexpr uint32_t kUnseen = kNoBlock;
  Components result{.component = std::vector<uint32_t>(graph.size(), kUnseen)};
  std::vector<uint32_t> number(graph.size(), kUnseen);
  std::vector<uint32_t> lowest(graph.size(), 0);
  std::vector<uint32_t> open;                        // blocks whose component is not known yet
  std::vector<std::pair<uint32_t, uint32_t>> stack;  // block, next edge
  uint32_t next_number = 0;
  const auto enter = [&](uint32_t block) {
    number[block] = lowest[block] = next_number++;
    open.push_back(block);
    stack.emplace_back(block, graph.first_edge[block]);
  };
  for (uint32_t start = 0; start < graph.size(); ++start) {
    if (number[start] != kUnseen) continue;
    enter(start);
    while (!stack.empty()) {
      auto& [block, edge] = stack.back();
      if (edge < graph.first_edge[block + 1]) {
        const uint32_t from = block;
        const uint32_t target = graph.targets[edge++];
        if (number[target] == kUnseen) {
          enter(target);
        } else if (result.component[target] == kUnseen) {
          lowest[from] = std::min(lowest[from], number[target]);
        }
        continue;
      }
      const uint32_t done = block;
      stack.pop_back();
      if (!stack.empty()) lowest[stack.back().first] = std::min(lowest[stack.back().first], lowest[done]);
      if (lowest[done] != number[done]) continue;
      uint32_t member;
      do {
        member = open.back();
        open.pop_back();
        result.component[member] = result.count;
      } while (member != done);
      ++result.count;
    }
  }
  return result;
}

}  // namespace culprit::program
