// `culprit diff --slice`: the dual slice of two recorded runs, and how it is shown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "locate/dual_slice.h"

namespace culprit::cli {

/// What to begin at: `at` (FILE:LINE[#N], stdout:N, stderr:N) in every run that gets there; without it the first byte
/// in which the standard outputs differ, else where the right run ended. Throws UserError when neither run gets there.
DualSlice dual_slice_of(const ComparedRun& left, const ComparedRun& right, const std::string& at,
                        std::optional<uint64_t> first_wrong_byte);

/// For people; at most `most` instances.
std::string dual_slice_text(const DualSlice& slice, const program::ProgramModel& model, size_t most);

nlohmann::json dual_slice_json(const DualSlice& slice, const program::ProgramModel& model);

}  // namespace culprit::cli
