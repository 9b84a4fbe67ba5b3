// Which statements the user wrote, among those of libraries' headers and wrappers of the allocator.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program_model.h"
#include "report/explanation.h"
#include "session/frames.h"

namespace culprit {

/// Whether a statement is the program's own rather than of a library's header or an allocator's wrapper.
bool is_own_statement(const program::ProgramModel& model, uint32_t statement);

/// Whether a place is in a library's header.
bool is_in_library(const report::SourcePlace& place);

/// Whether a block ends in a branch that is in no source: it says how the clean-up of a scope goes on.
bool cleans_up(const program::ProgramModel& model, uint32_t block);

/// Whether a function has so few statements that it only wraps another, or asks for something.
bool is_short_function(const program::ProgramModel& model, uint32_t function);

/// The first of `statements` (innermost first) that is the program's own; kNone when there is none.
uint32_t own_statement(const program::ProgramModel& model, const std::vector<uint32_t>& statements);

/// Of two chains of activations the statement of the first in the innermost activation that both share; kNone when they
/// have nothing in common.
uint32_t where_chains_part(const program::ProgramModel& model, const std::vector<uint32_t>& first,
                           const std::vector<uint32_t>& second);

std::vector<uint32_t> statements_of(const std::vector<Frame>& frames);

}  // namespace culprit
