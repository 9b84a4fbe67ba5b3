// By which branch it was decided that a run came to where it failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "locate/observe.h"
#include "program/program_model.h"

namespace culprit {

/// The innermost own activation, from number `from` on, in which a branch decided that what failed was reached:
/// functions that get there whenever they are called only pass on what their caller began.
std::optional<uint32_t> decided_in(const program::ProgramModel& model, const std::vector<Frame>& frames, size_t from);

/// Of the branches by which it may depend that a block is executed: the one that was executed last and led there, by
/// the block that ends in it.
std::optional<uint32_t> latest_decision(const program::ProgramModel& model, const BranchLog& log, uint32_t block);

}  // namespace culprit
