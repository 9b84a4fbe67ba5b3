// Immediate dominators by Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", 2005):
// semidominators with path compression as in Lengauer-Tarjan, then the nearest common ancestor in the tree built so
// far. Nearly linear on programs' flow graphs.
//
// Post-dominators are dominators of the reversed graph from a virtual exit. An endless loop never gets there; it is
// treated as if the block of the loop that comes first in reverse postorder (the header of a natural loop) could leave
// to the exit, so that the loop's blocks depend on its header as those of a `while` do.
#include "program/dominators.h"

#include <algorithm>

namespace culprit::program {
namespace {

/// Depth-first numbering from a root, and the forest with path compression over it.
class SemiDominators {
 public:
  SemiDominators(const FlowGraph& graph, uint32_t root) : number_(graph.size(), kNoBlock) {
    visit(graph, root);
    const auto count = static_cast<uint32_t>(block_.size());
    semi_.resize(count);
    label_.resize(count);
    for (uint32_t each = 0; each < count; ++each) semi_[each] = label_[each] = each;
    ancestor_ = parent_;
    const FlowGraph backwards = reversed(graph);
    for (uint32_t each = count; each-- > 1;) {
      semi_[each] = parent_[each];
      for (const uint32_t predecessor : backwards.successors(block_[each])) {
        if (number_[predecessor] == kNoBlock) continue;
        semi_[each] = std::min(semi_[each], semi_[evaluate(number_[predecessor], each + 1)]);
      }
    }
  }

  std::vector<uint32_t> immediate_dominators() const {
    std::vector<uint32_t> by_number(block_.size(), 0);
    std::vector<uint32_t> result(number_.size(), kNoBlock);
    for (uint32_t each = 1; each < block_.size(); ++each) {
      uint32_t candidate = parent_[each];
      while (candidate > semi_[each]) candidate = by_number[candidate];
      by_number[each] = candidate;
      result[block_[each]] = block_[candidate];
    }
    return result;
  }

 private:
  void visit(const FlowGraph& graph, uint32_t root) {
    std::vector<std::pair<uint32_t, uint32_t>> stack;  // block, next edge
    const auto enter = [&](uint32_t block, uint32_t parent) {
      number_[block] = static_cast<uint32_t>(block_.size());
      block_.push_back(block);
      parent_.push_back(parent);
      stack.emplace_back(block, graph.first_edge[block]);
    };
    enter(root, 0);
    while (!stack.empty()) {
      auto& [block, edge] = stack.back();
      if (edge == graph.first_edge[block + 1]) {
        stack.pop_back();
        continue;
      }
      const uint32_t target = graph.targets[edge++];
      if (number_[target] == kNoBlock) enter(target, number_[block]);
    }
  }

  /// The vertex of least semidominator on the path from `vertex` up to, not including, the linked forest's root.
  /// Vertices numbered `first_linked` and above are linked.
  uint32_t evaluate(uint32_t vertex, uint32_t first_linked) {
    if (vertex < first_linked) return vertex;
    path_.clear();
    for (uint32_t at = vertex; ancestor_[at] >= first_linked; at = ancestor_[at]) path_.push_back(at);
    for (auto at = path_.rbegin(); at != path_.rend(); ++at) {
      const uint32_t above = ancestor_[*at];
      if (semi_[label_[above]] < semi_[label_[*at]]) label_[*at] = label_[above];
      ancestor_[*at] = ancestor_[above];
    }
    return label_[vertex];
  }

  std::vector<uint32_t> number_;                                    ///< per block
  std::vector<uint32_t> block_, parent_, semi_, label_, ancestor_;  ///< per number
  std::vector<uint32_t> path_;
};

std::vector<uint32_t> exits_of(const FlowGraph& graph) {
  const Components components = strongly_connected_components(graph);
  std::vector<bool> can_leave(components.count, false);
  for (uint32_t block = 0; block < graph.size(); ++block) {
    for (const uint32_t target : graph.successors(block)) {
      if (components.component[target] != components.component[block]) can_leave[components.component[block]] = true;
    }
  }
  // First in reverse postorder from the entry; blocks that the entry does not reach follow in order of number.
  std::vector<uint32_t> order = graph.size() ? reverse_postorder(graph, 0) : std::vector<uint32_t>{};
  std::vector<bool> listed(graph.size(), false);
  for (const uint32_t block : order) listed[block] = true;
  for (uint32_t block = 0; block < graph.size(); ++block) {
    if (!listed[block]) order.push_back(block);
  }
  std::vector<uint32_t> exits;
  for (const uint32_t block : order) {
    const uint32_t component = components.component[block];
    if (can_leave[component]) continue;
    can_leave[component] = true;
    exits.push_back(block);
  }
  std::sort(exits.begin(), exits.end());
  return exits;
}

}  // namespace

std::vector<uint32_t> immediate_dominators(const FlowGraph& graph, uint32_t root) {
  return SemiDominators(graph, root).immediate_dominators();
}

PostDominators post_dominators(const FlowGraph& graph, std::span<const uint32_t> may_stay) {
  PostDominators result{.exits = exits_of(graph), .immediate = {}};
  result.exits.insert(result.exits.end(), may_stay.begin(), may_stay.end());
  std::sort(result.exits.begin(), result.exits.end());
  result.exits.erase(std::unique(result.exits.begin(), result.exits.end()), result.exits.end());
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (const uint32_t exit : result.exits) edges.emplace_back(graph.size(), exit);
  for (uint32_t block = 0; block < graph.size(); ++block) {
    for (const uint32_t target : graph.successors(block)) edges.emplace_back(target, block);
  }
  result.immediate = immediate_dominators(make_graph(graph.size() + 1, edges), graph.size());
  result.immediate.pop_back();
  return result;
}

bool is_ancestor(const std::vector<uint32_t>& immediate, uint32_t above, uint32_t below) {
  while (below != above && below < immediate.size()) below = immediate[below];
  return below == above;
}

}  // namespace culprit::program
