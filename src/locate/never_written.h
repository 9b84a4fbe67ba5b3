// Values that nobody made: a variable's before anything was written into it.
#pragma once

#include <cstdint>
#include <optional>

#include "program/program_model.h"

namespace culprit {

/// The variable that an operation fills with what it holds until the program writes it (format::kUnwrittenByte);
/// nothing for other operations, and for variables that the compiler made.
std::optional<uint32_t> unwritten_variable(const program::ProgramModel& model, uint32_t operation);

/// Whether a variable is read as a whole: a number, a pointer, an enumerator.
bool is_scalar(const program::ProgramModel& model, uint32_t variable);

}  // namespace culprit
