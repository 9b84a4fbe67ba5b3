// What a bad value was computed from, regardless of why.
#pragma once

#include <cstdint>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

/// A statement that computed a part of what the bad value was computed from.
struct ComputingStatement {
  uint32_t statement = 0;
  uint32_t activations = 0;  ///< that the value went through from there to the failure, its own included; copies are none
  uint32_t steps = 0;        ///< computations in between
};

/// A thin slice (Sridharan, Fink and Bodik, PLDI 2007: no decisions, no addresses) from the node that made the bad
/// value, nearest first by activations: a function that turns a value into another is one step, however long it
/// computes.
std::vector<ComputingStatement> computed_from(const depend::DependenceGraph& graph, depend::Node origin);

}  // namespace culprit
