// A directed graph of numbered blocks, as the graph algorithms of this room take it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace culprit::program {

inline constexpr uint32_t kNoBlock = 0xffffffff;

/// Blocks 0 … size()-1; block 0 is the entry. Edges are numbered in order of their source block; parallel edges and
/// self-loops are allowed. Plain data.
struct FlowGraph {
  std::vector<uint32_t> first_edge{0};  ///< per block, and one at the end
  std::vector<uint32_t> targets;        ///< per edge

  uint32_t size() const { return static_cast<uint32_t>(first_edge.size()) - 1; }
  uint32_t edge_count() const { return static_cast<uint32_t>(targets.size()); }
  std::span<const uint32_t> successors(uint32_t block) const {
    return std::span(targets).subspan(first_edge[block], first_edge[block + 1] - first_edge[block]);
  }
};

/// A graph of `size` blocks; `edges` keep their order within a source block.
FlowGraph make_graph(uint32_t size, std::span<const std::pair<uint32_t, uint32_t>> edges);

/// The same blocks with every edge turned round.
FlowGraph reversed(const FlowGraph& graph);

/// Blocks that can be reached from `root`, so that each comes before its successors wherever there is no cycle.
std::vector<uint32_t> reverse_postorder(const FlowGraph& graph, uint32_t root);

/// Strongly connected components by Tarjan's algorithm, without recursion. `component[b]` numbers them so that an edge
/// never leads to a higher number.
struct Components {
  std::vector<uint32_t> component;
  uint32_t count = 0;
};
Components strongly_connected_components(const FlowGraph& graph);

}  // namespace culprit::program
