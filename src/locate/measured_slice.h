// A backward slice with how far each statement lies from what it was taken from (ED §5.2).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "depend/dependence_graph.h"
#include "locate/uninitialised_reads.h"

namespace culprit {

struct DependentStatement {
  uint32_t statement = 0;         ///< program model
  uint32_t distance = 0;          ///< computations and decisions between it and the failure; copies count nothing
  depend::Execution nearest = 0;  ///< of its block, where it lies so near
};

struct UnwrittenVariable {
  uint32_t variable = 0;      ///< program model
  depend::Node begins{};      ///< where it comes into being, in the trace
  bool is_bad_value = false;  ///< it is the bad value itself, which came to the failure by copies only
};

struct MeasuredSlice {
  std::vector<DependentStatement> statements;              ///< nearest first
  std::unordered_map<uint32_t, uint32_t> branch_distance;  ///< by the block that ends in the branch
  /// The few nearest executions of each branch, of any thread, with their own distances.
  std::unordered_map<depend::Execution, uint32_t> near_branches;
  /// Local variables whose values matter and were never written, nearest first.
  std::vector<UnwrittenVariable> unwritten;
  std::vector<UninitialisedRead> uninitialised;  ///< of what was never given a value; nearest first
  uint64_t instances = 0;                        ///< statement instances in the slice
};

/// What `criterion` depended on. Of slices beyond two million statement instances what lies nearest.
MeasuredSlice measure_slice(const depend::DependenceGraph& graph, const std::vector<depend::Node>& criterion);

/// Of two slices the statements of both, with their smaller distances; nearest first.
std::vector<DependentStatement> nearest_of(std::vector<DependentStatement> one, std::vector<DependentStatement> other);

}  // namespace culprit
