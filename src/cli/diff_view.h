// The difference of two runs as the HTML page takes it.
#pragma once

#include <string>

#include "index/execution_difference.h"
#include "report/difference_page.h"

namespace culprit::cli {

/// "file.c:12:3 function"
std::string statement_text(const program::ProgramModel& model, uint32_t statement);

/// What a statement writes: its variable, or what kind of statement it is.
std::string written_name(const program::ProgramModel& model, uint32_t statement);

/// Commands and ends are left to the caller.
report::DifferenceView difference_view(const ExecutionDifference& difference, const program::ProgramModel& model);

}  // namespace culprit::cli
