// A topological order of all blocks without the edges that begin iterations would be one order for all levels at once,
// but a loop's blocks need not be neighbours in it, so loops could not be told from what stands between. Each level is
// ordered by itself instead: siblings are the nodes, an edge leads from the sibling that holds its source to the one
// that holds its target.
#include "program/execution_order.h"

#include <algorithm>
#include <utility>

namespace culprit::program {
namespace {

/// A block directly at a level, or the loop of that level that holds it: blocks are numbered as they are, loops behind
/// them.
uint32_t sibling_at(const FlowGraph& graph, const LoopForest& forest, uint32_t level, uint32_t block) {
  uint32_t loop = forest.innermost[block];
  if (loop == level) return block;
  while (loop != kNoLoop && forest.loops[loop].parent != level) loop = forest.loops[loop].parent;
  return loop == kNoLoop ? kNoBlock : graph.size() + loop;
}

}  // namespace

bool begins_iteration(const LoopForest& forest, uint32_t loop, uint32_t header) {
  const Loop& which = forest.loops[loop];
  if (which.naturalising_header) return *which.naturalising_header == header;
  return std::binary_search(which.headers.begin(), which.headers.end(), header);
}

bool contains(const LoopForest& forest, uint32_t loop, uint32_t block) {
  uint32_t at = forest.innermost[block];
  while (at != kNoLoop && at > loop) at = forest.loops[at].parent;
  return at == loop;
}

ExecutionOrder execution_order(const FlowGraph& graph, const LoopForest& forest) {
  const auto loops = static_cast<uint32_t>(forest.loops.size());
  const std::vector<uint32_t> reached = reverse_postorder(graph, 0);
  // Per level (a loop, or `loops` for none) its edges between siblings, given by their numbers within the level.
  std::vector<std::vector<uint32_t>> members(loops + 1);
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> edges(loops + 1);
  std::vector<uint32_t> local(graph.size() + loops, kNoBlock);
  const auto level_of = [&](uint32_t loop) { return loop == kNoLoop ? loops : loop; };
  const auto add = [&](uint32_t level, uint32_t node) {
    local[node] = static_cast<uint32_t>(members[level].size());
    members[level].push_back(node);
  };
  for (const uint32_t block : reached) add(level_of(forest.innermost[block]), block);
  for (uint32_t loop = 0; loop < loops; ++loop) add(level_of(forest.loops[loop].parent), graph.size() + loop);
  for (const uint32_t from : reached) {
    for (const uint32_t to : graph.successors(from)) {
      // The innermost level that holds both ends.
      uint32_t level = forest.innermost[from];
      while (level != kNoLoop && !contains(forest, level, to)) level = forest.loops[level].parent;
      if (level != kNoLoop && begins_iteration(forest, level, to)) continue;
      const uint32_t source = sibling_at(graph, forest, level, from);
      const uint32_t target = sibling_at(graph, forest, level, to);
      if (source != target) edges[level_of(level)].emplace_back(local[source], local[target]);
    }
  }
  ExecutionOrder order{.block_position = std::vector<uint32_t>(graph.size(), kNoBlock),
                       .loop_position = std::vector<uint32_t>(loops, 0)};
  for (uint32_t level = 0; level <= loops; ++level) {
    const auto count = static_cast<uint32_t>(members[level].size());
    const Components components = strongly_connected_components(make_graph(count, edges[level]));
    for (uint32_t each = 0; each < count; ++each) {
      const uint32_t position = components.count - 1 - components.component[each];
      const uint32_t node = members[level][each];
      (node < graph.size() ? order.block_position[node] : order.loop_position[node - graph.size()]) = position;
    }
  }
  return order;
}

}  // namespace culprit::program
