// In which order a function's blocks and loops can be executed.
#pragma once

#include <cstdint>
#include <vector>

#include "program/flow_graph.h"
#include "program/loop_forest.h"

namespace culprit::program {

/// The edges that begin a new iteration of a loop: those from inside to its naturalising header, or, where no header
/// naturalises it, to any header (EPID §III-C). Without them, what is left of a loop's body is free of cycles but for
/// the loops nested in it.
bool begins_iteration(const LoopForest& forest, uint32_t loop, uint32_t header);

/// Whether `block` lies in `loop` or a loop nested in it.
bool contains(const LoopForest& forest, uint32_t loop, uint32_t block);

/// Positions among siblings: the blocks directly in a loop (or in no loop) and the loops nested directly in it. Within
/// one iteration, of two siblings that are both executed the one with the lower position is executed first.
struct ExecutionOrder {
  std::vector<uint32_t> block_position;  ///< kNoBlock where the entry does not lead
  std::vector<uint32_t> loop_position;
};
ExecutionOrder execution_order(const FlowGraph& graph, const LoopForest& forest);

}  // namespace culprit::program
