// Which branch decides whether a block runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/dominators.h"
#include "program/flow_graph.h"

namespace culprit::program {

/// Direct control dependence (Ferrante, Ottenstein, Warren 1987): a block depends on an edge A→B when it
/// post-dominates B (or is B) and does not strictly post-dominate A. A block that depends on no edge depends on the
/// function's entry. Blocks of an endless loop depend on an edge of the block that stands for the loop's exit
/// (PostDominators::exits), be it its only one.
struct ControlDependence {
  std::vector<uint32_t> first{0};  ///< per block, and one at the end
  std::vector<uint32_t> edges;     ///< ascending for every block

  std::span<const uint32_t> of(uint32_t block) const {
    return std::span(edges).subspan(first[block], first[block + 1] - first[block]);
  }
};
ControlDependence control_dependence(const FlowGraph& graph, const PostDominators& post_dominators);

}  // namespace culprit::program
