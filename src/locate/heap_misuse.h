// What a traced run did with the heap that no program may do (depend/heap_watch.h), told as the errors that are found
// by altering the heap (heap_experiments.h). It was seen, so it needs no proof; whether the failure comes of it is
// another question.
#pragma once

#include <vector>

#include "depend/dependence_graph.h"
#include "locate/heap_experiments.h"

namespace culprit {

/// In order of time, without those of `known`; of each place one. `trace`: that the graph was made of.
std::vector<HeapFault> heap_misuses(const depend::DependenceGraph& graph, const trace::TraceFile& trace,
                                    const std::vector<HeapFault>& known);

/// Whether a use of a freed block that altering the heap has found is but an access that left another block.
bool is_hit_by(const program::ProgramModel& model, const HeapFault& found, const std::vector<HeapFault>& seen);

}  // namespace culprit
