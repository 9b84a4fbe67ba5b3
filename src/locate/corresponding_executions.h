// Block executions that are the same point of two traced executions of a program.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "depend/dependence_graph.h"
#include "trace/trace_file.h"

namespace culprit {

enum Side : uint8_t { kLeft, kRight };

/// One of two executions that are compared. All must stay.
struct ComparedRun {
  const trace::TraceFile& trace;
  const depend::DependenceGraph& graph;
};

struct Correspondence {
  std::array<std::vector<depend::Execution>, 2> other;  ///< by side and execution; kNoExecution: has none
};

/// By precise ids, of threads that were created at the same point.
Correspondence corresponding_executions(const ComparedRun& left, const ComparedRun& right);

}  // namespace culprit
