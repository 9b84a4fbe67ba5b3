// The variable that an operation reads or writes, as its access names it.
#pragma once

#include <cstdint>
#include <optional>

#include "program/program_model.h"

namespace culprit {

/// Whether one that the program declares lies there in what is its home.
bool holds(const program::ProgramModel& model, const format::VariableRecord& variable, format::HomeKind home,
           uint64_t offset);

/// The variable of a function that lies at an offset of what is its home.
std::optional<uint32_t> local_at(const program::ProgramModel& model, uint32_t function, format::HomeKind home,
                                 uint64_t offset);

/// Nothing when the memory is found by an address, and for variables that the compiler made.
std::optional<uint32_t> accessed_variable(const program::ProgramModel& model, uint32_t operation);

}  // namespace culprit
