// Dominators and post-dominators of a flow graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/flow_graph.h"

namespace culprit::program {

/// Per block its immediate dominator; kNoBlock for `root` and for blocks that `root` does not reach.
std::vector<uint32_t> immediate_dominators(const FlowGraph& graph, uint32_t root);

/// Post-dominance towards a virtual exit, block number `graph.size()`.
struct PostDominators {
  /// The blocks that have an edge to the virtual exit: those without successors, those that may stay, and one block for
  /// every group of blocks that can be entered but not left (an endless loop).
  std::vector<uint32_t> exits;
  /// Per block; `graph.size()` stands for the virtual exit.
  std::vector<uint32_t> immediate;
};
/// `may_stay`: blocks that control need not leave though they have successors.
PostDominators post_dominators(const FlowGraph& graph, std::span<const uint32_t> may_stay = {});

/// Whether `above` is `below` or one of its ancestors in the tree that `immediate` describes.
bool is_ancestor(const std::vector<uint32_t>& immediate, uint32_t above, uint32_t below);

}  // namespace culprit::program
