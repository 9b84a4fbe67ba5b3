// The variables of an activation of a stopped program, with their values in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program_model.h"
#include "session/frames.h"

namespace culprit {

struct VariableValue {
  uint32_t variable = 0;  ///< program model
  std::string name;
  std::string value;  ///< as print_value writes it; "?" where memory cannot be read
};

/// Parameters and locals in reach at the frame's statement, innermost scope first. Left out are those that the compiler
/// made and those that have no home in memory.
std::vector<VariableValue> read_variables(const ProcessMemory& process, const program::ProgramModel& model,
                                          const Frame& frame);

/// Where a variable lies that has its home in the frame.
std::optional<uint64_t> frame_address(const format::VariableRecord& variable, const Frame& frame);

}  // namespace culprit
