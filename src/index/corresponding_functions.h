// Which functions of two versions of a program correspond.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "index/version_sources.h"
#include "program/program_model.h"

namespace culprit {

struct FunctionPair {
  std::optional<uint32_t> left, right;  ///< nothing: the other version has it alone
};

/// Of all functions with bodies: those of the left version in order, then those of the right one alone.
std::vector<FunctionPair> corresponding_functions(const program::ProgramModel& left, const program::ProgramModel& right,
                                                  const VersionSources& sources);

/// The symbol without the number that merging adds to those of equal name ("parse.17").
std::string_view source_symbol(const program::ProgramModel& model, uint32_t function);

}  // namespace culprit
