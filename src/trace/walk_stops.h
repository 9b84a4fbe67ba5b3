// Where the walk of a trace through the program's blocks has to look (control_stream.h).
#pragma once

#include <cstdint>
#include <vector>

#include "program/program_model.h"

namespace culprit::trace {

/// Whether a trace with values has what the operation stores or returns.
bool is_valued(const format::OperationRecord& operation);

/// Per operation the next one, perhaps itself, at which the walk has to look: that events tell of, that leaves its
/// block, or that calls.
std::vector<uint32_t> find_stops(const program::ProgramModel& model, bool path_only);

/// By call: native ones that a path has no events of.
std::vector<bool> silent_calls(const program::ProgramModel& model);

}  // namespace culprit::trace
