// What makes two executions of a program differ: a backward slice of both at once that holds only dependences that one
// of them alone has, or that carry other values (EPID §V-C, figure 11; Weeratunge et al., ISSTA 2010).
//
// Executions of a block correspond by their precise ids. Where they do, what decided that the block runs is no part of
// the slice: both got there. That, and which sources have the same value in both, is what keeps it small.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "locate/corresponding_executions.h"

namespace culprit {

/// A statement instance of a dual slice, in both executions or in one.
struct DualInstance {
  uint32_t statement;
  std::array<std::optional<depend::Execution>, 2> execution;
  /// What the statement stored last, branched to (a block) or was returned by native code, where the trace has it and
  /// the two differ or one is alone.
  std::array<std::optional<uint64_t>, 2> value;
};

struct DualSlice {
  /// In order of time: of the right execution, the left one's where it is alone in between.
  std::vector<DualInstance> instances;
  std::array<size_t, 2> ordinary;  ///< statement instances of the backward slice of each execution alone
};

/// `criteria`: nodes to begin with, by side. Of traces with values.
DualSlice dual_slice(const ComparedRun& left, const ComparedRun& right,
                     const std::array<std::vector<depend::Node>, 2>& criteria);
/// The same for whoever knows already which executions correspond.
DualSlice dual_slice(const ComparedRun& left, const ComparedRun& right, const Correspondence& correspondence,
                     const std::array<std::vector<depend::Node>, 2>& criteria);

}  // namespace culprit
