// The values that statements of a traced run made, in the program's own terms.
#pragma once

#include <cstdint>
#include <string>

#include "depend/dependence_graph.h"
#include "locate/run_values.h"

namespace culprit {

/// The variable that a store writes, if it names one; else format::kNone.
uint32_t stored_variable(const program::ProgramModel& model, uint32_t operation);

/// A value that an operation stores, returns or yields, by the type of the variable or, where it names none, as a number
/// or address: "3", "'a'", "0.5", "0x7ffe0".
std::string value_text(const program::ProgramModel& model, uint32_t operation, uint64_t value);

/// What a statement stored or returned, and what its calls of library functions returned, in one execution of its
/// block: "n = 3, returned 4"; empty where nothing of it is known.
std::string statement_values_text(const depend::DependenceGraph& graph, uint32_t statement, depend::Execution execution,
                                  const RunValues& values);

/// What all statements on the line of `statement` stored or returned in that execution of the block; where they did
/// neither, what their calls of library functions returned.
std::string line_values_text(const depend::DependenceGraph& graph, uint32_t statement, depend::Execution execution,
                             const RunValues& values);

}  // namespace culprit
