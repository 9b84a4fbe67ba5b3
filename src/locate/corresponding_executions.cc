#include "locate/corresponding_executions.h"

#include "index/alignment.h"
#include "index/flow_tables.h"
#include "index/thread_origins.h"
#include "index/traced_points.h"

namespace culprit {

using depend::DependenceGraph;
using depend::Execution;

namespace {

/// Block executions of a thread, in their order.
std::vector<Execution> of_thread(const DependenceGraph& graph, uint32_t thread) {
  std::vector<Execution> executions;
  for (Execution each = 0; each < graph.executions(); ++each) {
    if (graph.thread_of_frame(graph.execution(each).frame) == thread) executions.push_back(each);
  }
  return executions;
}

void add_thread(Correspondence& result, const ComparedRun& left, uint32_t left_thread, const ComparedRun& right,
                uint32_t right_thread) {
  const std::vector<Execution> lefts = of_thread(left.graph, left_thread),
                               rights = of_thread(right.graph, right_thread);
  const FlowTables tables(left.trace.model());
  TracedControl left_control(left.trace, left_thread), right_control(right.trace, right_thread);
  Alignment alignment(left_control, right_control, tables, AlignmentKind::kPrecise);
  while (true) {
    const Alignment::Which which = alignment.next();
    if (which == Alignment::Which::kEnd) return;
    if (which != Alignment::Which::kBoth) continue;
    const uint64_t at_left = alignment.left().points() - 1, at_right = alignment.right().points() - 1;
    // A trace that was cut may end in a block of which nothing was executed.
    if (at_left >= lefts.size() || at_right >= rights.size()) continue;
    result.other[kLeft][lefts[at_left]] = rights[at_right];
    result.other[kRight][rights[at_right]] = lefts[at_left];
  }
}

}  // namespace

Correspondence corresponding_executions(const ComparedRun& left, const ComparedRun& right) {
  Correspondence result;
  result.other[kLeft].assign(left.graph.executions(), depend::kNoExecution);
  result.other[kRight].assign(right.graph.executions(), depend::kNoExecution);
  for (const auto& [left_thread, right_thread] :
       corresponding_threads(thread_origins(left.trace), thread_origins(right.trace))) {
    add_thread(result, left, left_thread, right, right_thread);
  }
  return result;
}

}  // namespace culprit
