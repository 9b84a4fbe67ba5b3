// The executions of statements in a traced run, named as experiments name them (format::ExperimentRecord).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

inline constexpr uint32_t kNoActivation = 0xffffffff;

struct StatementExecution {
  uint32_t statement = 0;           ///< program model
  uint64_t instance = 0;            ///< branch instances of the main thread before it
  uint64_t passes = 0;              ///< executions of the statement between that branch instance and this one
  uint64_t occurrence = 0;          ///< which execution of the statement it is, from 1
  bool of_all = true;               ///< and not only of those in a trace that begins late
  depend::Execution execution = 0;  ///< of its block
  uint32_t frame = 0;               ///< depend::Frame: the activation that executes it
  uint32_t callee = kNoActivation;  ///< and the one that it begins, when it calls a body
};

/// Visits every statement execution of the main thread in order. Of an activation that ended without a return, and of
/// the innermost one at a crash, also those statements of its last block that it no longer came to.
void visit_executed_statements(const depend::DependenceGraph& graph,
                               const std::function<void(const StatementExecution&)>& visit);

}  // namespace culprit
