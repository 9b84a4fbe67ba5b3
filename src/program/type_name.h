// A type as a C or C++ programmer writes it.
#pragma once

#include <string>

#include "program/program_model.h"

namespace culprit::program {

/// "char *", "int [10]", "const struct stat *", "int (*)(void *, int)"; with `declared`, "char *name", "int name[10]".
/// kNone is void. Circular function types of a damaged model are cut off with "…".
std::string type_name(const ProgramModel& model, uint32_t type, const std::string& declared = {});

/// The type itself behind typedefs and const, volatile, restrict and atomic.
uint32_t stripped_type(const ProgramModel& model, uint32_t type);

}  // namespace culprit::program
